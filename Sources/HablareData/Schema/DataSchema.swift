public import GRDB

extension DatabaseMigrator {
    /// Registers the migrations of this library's tables. The tables hold receipts of merges, promised merges,
    /// persisted responses and queued actions. All their names begin with `hablare_`.
    ///
    /// Call this method where the app creates its migrator. Its position among the app's own migrations does not
    /// matter. Later versions of the library add migrations, but never change an existing migration.
    public mutating func registerHablareData() {
        registerMigration("hablare.data.1") { database in
            try DataSchema.createMerges(database)
            try DataSchema.createResponses(database)
            try ActionSchema.create(database)
        }
    }
}

/// The tables of ``GRDB/DatabaseMigrator/registerHablareData()``.
enum DataSchema {
    /// Creates the tables of merges. The column `row` has no declared type, so that a key keeps the type that it has in
    /// the app's own table.
    static func createMerges(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE hablare_receipts (
                    request BLOB NOT NULL,
                    target TEXT NOT NULL,
                    row NOT NULL,
                    merged_at INTEGER NOT NULL,
                    released INTEGER NOT NULL DEFAULT 0,
                    PRIMARY KEY (request, target, row)
                ) WITHOUT ROWID;
                CREATE INDEX hablare_receipts_unreleased ON hablare_receipts (request) WHERE released = 0;
                CREATE TABLE hablare_promises (
                    request BLOB NOT NULL,
                    target TEXT NOT NULL,
                    row NOT NULL,
                    promised_at INTEGER NOT NULL,
                    failure TEXT,
                    PRIMARY KEY (request, target, row)
                ) WITHOUT ROWID;
                """)
    }

    static func createResponses(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE hablare_responses (
                    request BLOB NOT NULL PRIMARY KEY,
                    provider TEXT NOT NULL,
                    type TEXT NOT NULL,
                    format TEXT,
                    content BLOB NOT NULL,
                    metadata TEXT NOT NULL,
                    received_at INTEGER NOT NULL
                );
                """)
    }
}
