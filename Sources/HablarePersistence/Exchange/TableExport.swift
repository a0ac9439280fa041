import GRDB
import HablareFiles

/// Writes the document of some tables.
struct TableExport {
    let db: Database
    let file: ReplacingFile

    func write(_ chosen: [String]?) throws {
        let known = try TableDocument.tables(db)
        let tables = chosen ?? known
        if let unknown = tables.first(where: { !known.contains($0) }) {
            throw ExchangeError(
                .unknownTable,
                "There is no table \u{201C}\(unknown)\u{201D} with rows of the app. Choose of \(known.joined(separator: ", "))."
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

    private func write(_ table: String, isFirst: Bool) throws {
        let columns = try TableDocument.columns(table, db)
        let names = columns.map(TableDocument.quoted).joined(separator: ",")
        try write((isFirst ? "" : ",") + "\n{\"name\":\(TableDocument.quoted(table)),\"columns\":[\(names)],\"rows\":[")
        let key = try db.primaryKey(table).columns
        // In the order of the key, so that the same rows make the same document.
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
