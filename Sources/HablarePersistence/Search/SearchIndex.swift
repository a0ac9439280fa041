public import GRDB

/// A full-text index of some columns of a table. It uses FTS5, and stores no copy of the text. Triggers update the
/// index when the table changes.
///
/// Create the index in a migration. Search it with the text that a user typed:
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
/// Write to the table with inserts, updates, deletes and upserts. Avoid `INSERT OR REPLACE`: it deletes rows without
/// running their triggers, unless the pragma `recursive_triggers` is on. The index is then out of date. To repair the
/// index, call ``rebuild(in:)``.
///
/// The tokenizers of FTS5 drop the accents of Latin letters only. They keep those of Greek, and cut pointed Hebrew into
/// pieces at its points. If such texts are to be found without their marks, write the folded text into a column of its
/// own, index that column, and fold what a user types in the same way before you create ``SearchTerms``.
public struct SearchIndex: Sendable, Hashable {
    /// The table whose rows are searched.
    public let table: String
    /// The columns to search, in the order that excerpts and ranks use.
    public let columns: [String]
    /// The name of the index.
    public let name: String

    /// Creates a description of an index.
    ///
    /// - Parameters:
    ///   - table: The table. It must have an `INTEGER PRIMARY KEY`.
    ///   - columns: The columns to search.
    ///   - name: The name of the index. Default: the name of the table followed by `_search`.
    public init(of table: String, columns: [String], name: String? = nil) {
        self.table = table
        self.columns = columns
        self.name = name ?? table + "_search"
    }

    /// Creates the index for the existing rows of the table and all later rows.
    ///
    /// - Parameters:
    ///   - db: The database in a migration.
    ///   - tokenizer: The rules that split text into words and decide which words are equal. Default: FTS5's
    ///     `unicode61`, which splits text into letters and digits of all scripts, and ignores case and the accents of
    ///     Latin letters. For Greek and Hebrew see above. `.porter()` also reduces English words to their stems.
    ///   - prefixes: The lengths of prefixes for which a separate index is created. Such an index makes searches for
    ///     prefixes of this length faster, and takes more space. Default: none.
    /// - Throws: ``SearchError`` if the table cannot be searched. Otherwise SQLite's errors.
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

    /// Removes the index and its triggers. The table stays.
    public func drop(in db: Database) throws {
        try db.dropFTS5SynchronizationTriggers(forTable: name)
        try db.drop(table: name)
    }

    /// Rebuilds the index from the table's current rows.
    public func rebuild(in db: Database) throws {
        try db.execute(literal: "INSERT INTO \(identifier: name) (\(identifier: name)) VALUES ('rebuild')")
    }

    /// Returns whether the index matches the rows of the table. Reads the whole index and all rows.
    ///
    /// FTS5 treats this check as a write. In a read such as ``AppDatabase/read(_:)``, the method therefore checks a
    /// temporary copy of the whole database, which needs as much disk space as the database. If the index uses a custom
    /// tokenizer of the app, call this method in a write.
    public func isIntact(in db: Database) throws -> Bool {
        do {
            return try isIntactHere(in: db)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_READONLY {
            // An empty path opens a database in a temporary file.
            let copy = try DatabaseQueue(path: "")
            return try copy.writeWithoutTransaction { copy in
                try db.backup(to: copy)
                return try isIntactHere(in: copy)
            }
        }
    }

    private func isIntactHere(in db: Database) throws -> Bool {
        do {
            // The 1 makes FTS5 compare the texts, too.
            try db.execute(
                literal: "INSERT INTO \(identifier: name) (\(identifier: name), rank) VALUES ('integrity-check', 1)")
            return true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return false
        }
    }

    private func check(_ db: Database) throws {
        guard try db.tableExists(table) else {
            throw SearchError(
                .missingTable, "The table \u{201C}\(table)\u{201D} to search does not exist. Create the table first.")
        }
        let known = try Set(db.columns(in: table).map { $0.name.lowercased() })
        if columns.isEmpty {
            throw SearchError(
                .missingColumn, "No column of \u{201C}\(table)\u{201D} was given to search. Name at least one column.")
        }
        if let missing = columns.first(where: { !known.contains($0.lowercased()) }) {
            throw SearchError(
                .missingColumn,
                "The table \u{201C}\(table)\u{201D} has no column \u{201C}\(missing)\u{201D}. Correct the name.")
        }
        // Without it, a vacuum may change the numbers of the rows, by which the index finds them.
        guard try db.primaryKey(table).rowIDColumn != nil else {
            throw SearchError(
                .noIntegerKey,
                "The table \u{201C}\(table)\u{201D} has no INTEGER PRIMARY KEY, which the index needs to find rows. Add one to the table."
            )
        }
    }
}
