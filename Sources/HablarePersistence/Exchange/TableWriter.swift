import GRDB

/// The part of an import that writes rows into tables, by a policy. Use it inside a transaction.
///
/// Its errors have no position. A reader of a document adds the position.
struct TableWriter {
    let db: Database
    let policy: ImportPolicy
    private var counts: [String: ImportResult.Count] = [:]
    private var table = ""
    private var statement: Statement?

    init(db: Database, policy: ImportPolicy) throws {
        self.db = db
        self.policy = policy
        // Rows may come before those that they refer to, so references are checked at the end.
        try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
    }

    /// Begins a table. Choose its columns before the first row.
    mutating func begin(_ table: String) throws {
        guard try TableDocument.tables(db).contains(table) else {
            throw ExchangeError(
                .unknownTable, "The database has no table \u{201C}\(table)\u{201D}. Nothing was changed.")
        }
        self.table = table
        statement = nil
        counts[table] = counts[table] ?? ImportResult.Count(written: 0, skipped: 0)
    }

    /// Chooses the columns of the rows that follow.
    mutating func choose(_ columns: [String]) throws {
        let known = try Set(TableDocument.columns(table, db))
        var seen: Set<String> = []
        if let wrong = columns.first(where: { !known.contains($0) || !seen.insert($0).inserted }) {
            throw ExchangeError(
                .unknownColumn,
                "The table has no column \u{201C}\(wrong)\u{201D}, or the document names it twice. Nothing was changed."
            )
        }
        statement = try makeStatement(table, columns)
    }

    /// Inserts a row, and counts it.
    mutating func insert(_ values: [DatabaseValue]) throws {
        guard let statement else { return }
        if try insert(values, statement) {
            counts[table]?.written += 1
        } else {
            counts[table]?.skipped += 1
        }
    }

    /// Checks the references of all rows, and returns the counts.
    func finish() throws -> ImportResult {
        try checkReferences()
        return ImportResult(counts: counts)
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
                throw ExchangeError(
                    .conflict,
                    policy == .abort
                        ? "The row already exists. Nothing was changed. Import with another policy, or delete the row first."
                        : "A row with another key already has a value that must be unique. Nothing was changed. Change or delete one of the two rows.",
                    cause: error)
            default:
                throw ExchangeError(
                    .invalidRow, "The table does not accept the row. Nothing was changed. See the cause.", cause: error)
            }
        } catch let error as DatabaseError where [.SQLITE_MISMATCH, .SQLITE_TOOBIG].contains(error.resultCode) {
            throw ExchangeError(
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
}
