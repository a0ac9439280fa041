import GRDB
import Hablare
import HablareSupport

/// A column of a table, and the statement that sets the column in one row.
///
/// The statement is plain SQL and stays prepared. If a query were built and prepared for each row, this would take
/// longer than all other parts of a merge.
struct ColumnLocation: Sendable {
    let table: String
    let column: String
    private let lastAffinity = Locked<(declared: String, affinity: ColumnAffinity)?>(nil)

    init(_ table: String, _ column: String) {
        self.table = table
        self.column = column
    }

    /// The table and the column, such as `article.audio`.
    var name: String { "\(table).\(column)" }

    /// Returns the column's declared type.
    ///
    /// - Throws: ``MergeError/Code/noColumn`` if the table has no such column.
    func declaration(in database: Database) throws -> (declared: String, affinity: ColumnAffinity) {
        let columns = try database.columns(in: table)
        let found = columns.first { $0.name == column } ?? columns.first { $0.name.lowercased() == column.lowercased() }
        guard let declared = found?.type else {
            throw MergeError(.noColumn, "The table has no column \(name). Correct the target, or migrate the table.")
        }
        return lastAffinity.withLock { last in
            if let last, last.declared == declared { return last }
            let new = (declared: declared, affinity: ColumnAffinity(declared: declared))
            last = new
            return new
        }
    }

    /// Sets the column of a row.
    ///
    /// - Throws: ``MergeError/Code/noRow`` if the row does not exist, ``MergeError/Code/unsupportedKey`` if the table's
    ///   key has several columns.
    func set(_ value: DatabaseValue, in row: MergeRow, _ database: Database) throws {
        let key = try Self.key(of: table, in: database)
        let sql = "UPDATE \(table.quotedDatabaseIdentifier) SET \(column.quotedDatabaseIdentifier) = ? WHERE \(key) = ?"
        try database.cachedStatement(sql: sql).execute(arguments: [value, row.key])
        if database.changesCount == 0 { throw Self.noRow(row, in: table) }
    }

    /// Returns the quoted name of the single column in a table's primary key.
    ///
    /// - Throws: ``MergeError/Code/unsupportedKey`` if the key has several columns.
    static func key(of table: String, in database: Database) throws -> String {
        let columns = try database.primaryKey(table).columns
        guard columns.count == 1 else {
            throw MergeError(
                .unsupportedKey,
                "The primary key of the table \(table) has \(columns.count) columns, but a merge identifies a row by a single column. Use a custom target."
            )
        }
        return columns[0].quotedDatabaseIdentifier
    }

    static func noRow(_ row: MergeRow, in table: String) -> MergeError {
        if row.isNew {
            return MergeError(
                .noRow,
                "The merge into a column of the table \(table) names no row. Pass the row's key, or use a `.create` target for a new row."
            )
        }
        let kind =
            switch row.key.storage {
            case .null, .blob: "bytes"
            case .int64, .double: "a number"
            case .string: "a text"
            }
        return MergeError(
            .noRow,
            "The table \(table) has no row with the given key, which is \(kind). The row was deleted or never inserted, or its key has another type. The response is kept. Merge it into another row."
        )
    }
}
