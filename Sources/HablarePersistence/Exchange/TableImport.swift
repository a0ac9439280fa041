import Foundation
import GRDB

/// An operation that reads a document into a database. The caller opens the transaction.
struct TableImport {
    private let db: Database
    private let policy: ImportPolicy
    private var reader: JSONReader
    private var table: String?
    private var row: Int?
    private var counts: [String: ImportResult.Count] = [:]

    init(_ reader: JSONReader, into db: Database, policy: ImportPolicy) {
        self.reader = reader
        self.db = db
        self.policy = policy
    }

    mutating func run() throws -> ImportResult {
        // Rows may come before those that they refer to, so references are checked at the end.
        try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
        try checkMigrations(try header())
        try expectKey("tables")
        try expect(.beginArray, "The tables are not an array.")
        while try more(until: .endArray, .beginObject, "A table is not an object.") { try readTable() }
        try expect(.endObject, "There is unexpected content after the tables.")
        try expect(.end, "There is unexpected content after the document.")
        try checkReferences()
        return ImportResult(counts: counts)
    }

    /// Reads the beginning of the document, and returns the migrations of the database that wrote it.
    mutating func header() throws -> [String] {
        try expect(.beginObject, "The document is not a JSON object.")
        try expectKey("format")
        guard case .string(TableDocument.format) = try reader.next() else {
            throw failure(.unknownFormat, "This is not a document of exported tables. Choose another file.")
        }
        try expectKey("version")
        guard case .integer(TableDocument.version) = try reader.next() else {
            throw failure(.unknownFormat, "A newer version of the library exported the document. Update this app.")
        }
        try expectKey("migrations")
        return try strings()
    }

    // MARK: Parts

    private func checkMigrations(_ theirs: [String]) throws {
        let ours = try TableDocument.migrations(db)
        guard Set(theirs) != Set(ours) else { return }
        let newer = Set(theirs).subtracting(ours).sorted().joined(separator: ", ")
        let advice =
            newer.isEmpty
            ? "An older version of this app exported it. Export it with the current version."
            : "It has the migrations \(newer), which this database does not have. Update this app."
        throw failure(.otherSchema, "The document comes from a database with another schema. \(advice)")
    }

    private mutating func readTable() throws {
        try expectKey("name")
        guard case .string(let name) = try reader.next() else { throw reader.malformed("A table has no name.") }
        guard try TableDocument.tables(db).contains(name) else {
            throw failure(.unknownTable, "The database has no table \u{201C}\(name)\u{201D}. Nothing was changed.")
        }
        table = name
        try expectKey("columns")
        let columns = try strings()
        let known = try Set(TableDocument.columns(name, db))
        var seen: Set<String> = []
        if let wrong = columns.first(where: { !known.contains($0) || !seen.insert($0).inserted }) {
            throw failure(
                .unknownColumn,
                "The table has no column \u{201C}\(wrong)\u{201D}, or the document names it twice. Nothing was changed."
            )
        }
        guard !columns.isEmpty else { throw reader.malformed("A table has no columns.") }
        let statement = try makeStatement(name, columns)
        try expectKey("rows")
        try expect(.beginArray, "The rows are not an array.")
        var count = counts[name] ?? ImportResult.Count(written: 0, skipped: 0)
        var number = 0
        while try more(until: .endArray, .beginArray, "A row is not an array.") {
            number += 1
            row = number
            let values = try values(columns.count)
            if try insert(values, statement) { count.written += 1 } else { count.skipped += 1 }
        }
        counts[name] = count
        (table, row) = (nil, nil)
        try expect(.endObject, "There is unexpected content after the rows.")
    }

    private func makeStatement(_ table: String, _ columns: [String]) throws -> Statement {
        let names = columns.map { SQL("\(identifier: $0)") }
        var insert: SQL = """
            INSERT INTO \(identifier: table) (\(names.joined(separator: ", ")))
            VALUES (\(columns.map { _ in SQL(sql: "?", arguments: [nil]) }.joined(separator: ", ")))
            """
        let primaryKey = try db.primaryKey(table)
        // Without a key other than the row's number, which no document has, no row counts as existing.
        let hasKey = !primaryKey.isRowID || primaryKey.rowIDColumn != nil
        if policy != .abort, hasKey {
            let key = primaryKey.columns.map { SQL("\(identifier: $0)") }
            // A row that shares only another unique value is another row. It is neither overwritten nor taken for this
            // one.
            insert += " ON CONFLICT (\(key.joined(separator: ", ")))"
            switch policy {
            case .abort, .skip: insert += " DO NOTHING"
            case .replace:
                // Not INSERT OR REPLACE: it deletes the row first, and with it the rows that refer to it.
                let known = Set(primaryKey.columns.map { $0.lowercased() })
                let changes = columns.filter { !known.contains($0.lowercased()) }.map { column in
                    SQL("\(identifier: column) = excluded.\(identifier: column)")
                }
                // A row that is all key does not change, but counts as written.
                let same = SQL("\(key[0]) = \(key[0])")
                insert += " DO UPDATE SET \((changes.isEmpty ? [same] : changes).joined(separator: ", "))"
            }
        }
        return try db.makeStatement(sql: insert.build(db).sql)
    }

    /// Inserts a row. Returns whether the row was written.
    private func insert(_ values: [DatabaseValue], _ statement: Statement) throws -> Bool {
        do {
            try statement.execute(arguments: StatementArguments(values))
            return db.changesCount > 0
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            switch error.extendedResultCode {
            case .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_ROWID:
                throw failure(
                    .conflict,
                    policy == .abort
                        ? "The row already exists. Nothing was changed. Import with another policy, or delete the row first."
                        : "A row with another key already has a value that must be unique. Nothing was changed. Change or delete one of the two rows.",
                    cause: error)
            default:
                throw failure(
                    .invalidRow, "The table does not accept the row. Nothing was changed. See the cause.", cause: error)
            }
        } catch let error as DatabaseError where [.SQLITE_MISMATCH, .SQLITE_TOOBIG].contains(error.resultCode) {
            throw failure(
                .invalidRow, "The table does not accept the row. Nothing was changed. See the cause.", cause: error)
        }
    }

    private func checkReferences() throws {
        do {
            // Checks all tables: others may have referred to a row that was replaced.
            try db.checkForeignKeys()
        } catch {
            throw ExchangeError(
                .danglingReferences,
                "Rows refer to rows that are not in the database and not in the document. Nothing was changed. Also export the tables of those rows.",
                cause: error)
        }
    }

    // MARK: Values

    private mutating func values(_ count: Int) throws -> [DatabaseValue] {
        var values: [DatabaseValue] = []
        values.reserveCapacity(count)
        while let value = try value() { values.append(value) }
        guard values.count == count else {
            throw failure(.invalidRow, "A row has \(values.count) values instead of \(count). Nothing was changed.")
        }
        return values
    }

    /// Reads a value of a row. Returns `nil` at the end of the row.
    private mutating func value() throws -> DatabaseValue? {
        switch try reader.next() {
        case .endArray: return nil
        case .null: return .null
        case .integer(let number): return number.databaseValue
        case .real(let number): return number.databaseValue
        case .string(let text): return text.databaseValue
        case .beginObject: return try objectValue()
        case .bool: throw reader.malformed("A value is true or false, which a database cannot store. Write 1 or 0.")
        default: throw reader.malformed("A value has a type that a database cannot store.")
        }
    }

    private mutating func objectValue() throws -> DatabaseValue {
        guard case .key(let kind) = try reader.next(), case .string(let text) = try reader.next(),
            case .endObject = try reader.next()
        else { throw reader.malformed("A value has a type that a database cannot store.") }
        switch (kind, text) {
        case ("real", "inf"): return Double.infinity.databaseValue
        case ("real", "-inf"): return (-Double.infinity).databaseValue
        case ("base64", _):
            guard let data = Data(base64Encoded: text) else { throw reader.malformed("A blob is not base64.") }
            return data.databaseValue
        default: throw reader.malformed("A value has a type that a database cannot store.")
        }
    }

    // MARK: Tokens

    private mutating func strings() throws -> [String] {
        try expect(.beginArray, "An array of names is expected here.")
        var strings: [String] = []
        while true {
            switch try reader.next() {
            case .string(let text): strings.append(text)
            case .endArray: return strings
            default: throw reader.malformed("A name is not a string.")
            }
        }
    }

    /// Returns whether an array has another element.
    private mutating func more(until end: JSONReader.Token, _ start: JSONReader.Token, _ message: String) throws -> Bool
    {
        let token = try reader.next()
        guard token == start || token == end else { throw reader.malformed(message) }
        return token == start
    }

    private mutating func expect(_ token: JSONReader.Token, _ message: String) throws {
        guard try reader.next() == token else { throw reader.malformed(message) }
    }

    private mutating func expectKey(_ key: String) throws {
        try expect(
            .key(key), "\u{201C}\(key)\u{201D} is missing here. The keys must have the same order as in an export.")
    }

    private func failure(_ code: ExchangeError.Code, _ message: String, cause: (any Error)? = nil) -> ExchangeError {
        ExchangeError(
            code, message, at: ExchangeError.Position(line: reader.line, table: table, row: row), cause: cause)
    }
}
