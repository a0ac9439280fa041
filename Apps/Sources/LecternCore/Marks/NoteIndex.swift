import GRDB
public import HablarePersistence

/// The index of the person's notes. It holds each version of a note, folded like the texts, so that one query finds
/// words in both.
///
/// The index is derived from the versions. It is not exported; ``addMissing(in:)`` completes it after an import.
public enum NoteIndex {
    /// The search index over the folded texts. The rows of its table have `number` as key, and `version`.
    public static let index = SearchIndex(of: "noteText", columns: ["folded"], name: "noteSearch")

    /// Returns a text as the index holds it: folded like the texts, so that one query finds words in both.
    static func fold(_ text: String) -> String { TextFolding.fold(text) }

    static func create(in db: Database) throws {
        try db.create(table: "noteText") { table in
            table.autoIncrementedPrimaryKey("number")
            table.column("version", .text).notNull().unique()
            table.column("folded", .text).notNull()
        }
        try index.create(in: db, tokenizer: .unicode61(diacritics: .keep))
    }

    /// Adds a version.
    static func add(_ version: String, _ text: String, in db: Database) throws {
        try db.cachedStatement(sql: "INSERT INTO noteText (version, folded) VALUES (?, ?) ON CONFLICT DO NOTHING")
            .execute(arguments: [version, fold(text)])
    }

    /// Adds the versions that an import has added, and removes those that are gone.
    ///
    /// - Parameter replacing: Whether the import may have replaced texts. Default: false.
    static func addMissing(replacing: Bool = false, in db: Database) throws {
        if replacing { try db.execute(sql: "DELETE FROM noteText") }
        try db.execute(
            sql: "DELETE FROM noteText WHERE NOT EXISTS (SELECT 1 FROM noteVersion WHERE id = noteText.version)")
        let missing = try String.fetchAll(
            db,
            sql: """
                SELECT id FROM noteVersion
                WHERE NOT EXISTS (SELECT 1 FROM noteText WHERE version = noteVersion.id)
                """)
        for version in missing {
            let text = try String.fetchOne(db, sql: "SELECT text FROM noteVersion WHERE id = ?", arguments: [version])
            try add(version, text ?? "", in: db)
        }
    }

    /// The tables to join in a search, after `FROM`: `mark.id` is a note whose current text the index has found. Earlier
    /// versions and removed notes are left out.
    public static let source = """
        noteSearch JOIN noteText ON noteText.number = noteSearch.rowid
        JOIN mark ON mark.version = noteText.version AND mark.isRemoved = 0
        """
}
