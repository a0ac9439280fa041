import GRDB
import HablareFiles

/// An operation that writes a document with the rows of some tables.
struct TableExport {
    let db: Database
    let file: ReplacingFile

    func write(_ chosen: [String]?) throws {
        let known = try TableDocument.tables(db)
        if chosen == nil { try refuseVirtualTables(besides: TableDocument.tablesOfApp(db)) }
        let tables = try chosen ?? TableDocument.tablesOfApp(db)
        if let unknown = tables.first(where: { !known.contains($0) }) {
            throw ExchangeError(
                .unknownTable,
                "The database has no table \u{201C}\(unknown)\u{201D} with rows of the app. Choose from: \(known.joined(separator: ", "))."
            )
        }
        let migrations = try TableDocument.migrations(db).map(TableDocument.quoted).joined(separator: ",")
        try write(
            #"{"format":"\#(TableDocument.format)","version":\#(TableDocument.version),"migrations":[\#(migrations)],"tables":["#
        )
        for (index, table) in tables.enumerated() { try write(table, isFirst: index == 0) }
        try write("\n]}\n")
        try file.commit()
    }

    /// Throws an error if there are virtual tables that cannot be exported. Otherwise the document would lack their
    /// rows, and nothing would say so.
    private func refuseVirtualTables(besides tables: [String]) throws {
        let virtual = try VirtualTable.all(db).filter(\.holdsOwnRows).map(\.name)
        guard !virtual.isEmpty else { return }
        throw ExchangeError(
            .virtualTable,
            "\(virtual.joined(separator: ", ")) cannot be exported. An export cannot contain a virtual table that has its own rows. Copy the rows to an ordinary table, and name the tables to export, such as \(tables.joined(separator: ", "))."
        )
    }

    private func write(_ table: String, isFirst: Bool) throws {
        let columns = try TableDocument.columns(table, db)
        let names = columns.map(TableDocument.quoted).joined(separator: ",")
        try write((isFirst ? "" : ",") + "\n{\"name\":\(TableDocument.quoted(table)),\"columns\":[\(names)],\"rows\":[")
        let key = try db.primaryKey(table).columns
        // Rows are in the order of the key, so that the same rows make the same document.
        let request: SQLRequest<Row> = """
            SELECT \(columns.map { SQL("\(identifier: $0)") }.joined(separator: ", "))
            FROM \(identifier: table)
            ORDER BY \(key.map { SQL("\(identifier: $0)") }.joined(separator: ", "))
            """
        let rows = try request.fetchCursor(db)
        var separator = "\n"
        while let row = try rows.next() {
            let values = row.databaseValues.map(TableDocument.text).joined(separator: ",")
            try write("\(separator)[\(values)]")
            separator = ",\n"
        }
        try write("\n]}")
    }

    private func write(_ text: String) throws { try file.write(text.utf8) }
}
