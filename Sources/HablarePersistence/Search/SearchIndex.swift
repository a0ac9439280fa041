public import GRDB

/// A full-text index of some columns of a table: FTS5, kept in step by triggers, without a copy of the text.
///
/// Make it in a migration, and search it with what a user has typed:
///
/// ```swift
/// let index = SearchIndex(of: "note", columns: ["title", "body"])
/// migrator.registerMigration("003-search") { db in try index.create(in: db) }
///
/// if let terms = SearchTerms("grandma's apple pi", completesLastWord: true) {
///     let page = try await database.search(index, for: terms, as: Note.self)
/// }
/// ```
///
/// Write to the table with inserts, updates, deletes and upserts. `INSERT OR REPLACE` deletes rows without their triggers
/// (unless the pragma `recursive_triggers` is on) and leaves the index behind: after it, ``rebuild(in:)``.
public struct SearchIndex: Sendable, Hashable {
    /// The table whose rows are searched.
    public let table: String
    /// The columns that are searched, the order of which excerpts and ranks know.
    public let columns: [String]
    /// The name of the index.
    public let name: String

    /// Describes an index.
    ///
    /// - Parameters:
    ///   - table: The table, which has an `INTEGER PRIMARY KEY`.
    ///   - columns: What is searched.
    ///   - name: The name of the index. Default: that of the table with `_search` behind it.
    public init(of table: String, columns: [String], name: String? = nil) {
        self.table = table
        self.columns = columns
        self.name = name ?? table + "_search"
    }

    /// Makes the index, of the rows that are there and of all that come.
    ///
    /// - Parameters:
    ///   - db: The database, as a migration has it.
    ///   - tokenizer: What a word is, and which words are the same. Default: letters and digits of all scripts, whatever
    ///     their case and marks (FTS5's `unicode61`). `.porter()` takes English words for their stems too.
    ///   - prefixes: Lengths of word beginnings with an index of their own, which makes searching for them faster and the
    ///     index larger. Default: none.
    /// - Throws: ``SearchError`` where the table is not one that can be searched; else what SQLite says.
    public func create(
        in db: Database, tokenizer: FTS5TokenizerDescriptor = .unicode61(), prefixes: Set<Int> = []
    ) throws {
        try check(db)
        try db.create(virtualTable: name, using: FTS5()) { index in
            index.synchronize(withTable: table)
            index.tokenizer = tokenizer
            if !prefixes.isEmpty { index.prefixes = prefixes }
            for column in columns { index.column(column) }
        }
    }

    /// Takes the index away, its triggers too. The table stays.
    public func drop(in db: Database) throws {
        try db.dropFTS5SynchronizationTriggers(forTable: name)
        try db.drop(table: name)
    }

    /// Makes the index anew from the rows that are there.
    public func rebuild(in db: Database) throws {
        try db.execute(literal: "INSERT INTO \(identifier: name) (\(identifier: name)) VALUES ('rebuild')")
    }

    /// Whether the index has what the rows have. It reads all of them.
    ///
    /// FTS5 takes this question as a write. So in a read, as ``AppDatabase/read(_:)`` has it, a temporary copy of the whole
    /// database is asked, which needs as much room on the disk; and an index whose tokenizer the app has made itself can be
    /// asked about in a write only.
    public func isIntact(in db: Database) throws -> Bool {
        do {
            return try isIntactHere(in: db)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_READONLY {
            // The empty path is that of a database in a temporary file.
            let copy = try DatabaseQueue(path: "")
            return try copy.writeWithoutTransaction { copy in
                try db.backup(to: copy)
                return try isIntactHere(in: copy)
            }
        }
    }

    private func isIntactHere(in db: Database) throws -> Bool {
        do {
            // The 1 has the texts compared, too.
            try db.execute(
                literal: "INSERT INTO \(identifier: name) (\(identifier: name), rank) VALUES ('integrity-check', 1)")
            return true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return false
        }
    }

    private func check(_ db: Database) throws {
        guard try db.tableExists(table) else {
            throw SearchError(.missingTable, "There is no table \u{201C}\(table)\u{201D} to search. Make it first.")
        }
        let known = try Set(db.columns(in: table).map { $0.name.lowercased() })
        if columns.isEmpty {
            throw SearchError(.missingColumn, "No column of \u{201C}\(table)\u{201D} is to be searched. Name one.")
        }
        if let missing = columns.first(where: { !known.contains($0.lowercased()) }) {
            throw SearchError(
                .missingColumn,
                "The table \u{201C}\(table)\u{201D} has no column \u{201C}\(missing)\u{201D}. Correct its name.")
        }
        // Without one, a vacuum may give the rows other numbers, by which the index knows them.
        guard try db.primaryKey(table).rowIDColumn != nil else {
            throw SearchError(
                .noIntegerKey,
                "The table \u{201C}\(table)\u{201D} has no INTEGER PRIMARY KEY, by which its rows are found. Give it one."
            )
        }
    }
}
