public import GRDB

/// Walks the migrations of an app from every schema that it ever had, with data in it: a test for apps.
///
/// An empty database migrates nearly always; a user's does not. For each version, the walk makes a database of that
/// schema in memory, has a fixture put rows into it as that version of the app did, and applies the later migrations one
/// by one. After each, rows must refer to what is there and SQLite must find the database whole; at the end it must have
/// the schema of a new one, and the app's own check must hold.
///
/// ```swift
/// @Test func migrations() throws {
///     try MigrationWalk(Notes.migrator, fixtures: [
///         "001-notes": { db in try db.execute(sql: "INSERT INTO note (title) VALUES ('one')") },
///         "002-ranks": { db in try db.execute(sql: "INSERT INTO note (title, rank) VALUES ('one', 1)") },
///     ]).run { db, version in
///         guard try Note.fetchCount(db) == 1 else { throw NoteIsGone() }
///     }
/// }
/// ```
///
/// Fixtures say SQL and not records, because records are of today. Once written, a fixture stays as it is.
public struct MigrationWalk: Sendable {
    /// Puts rows into a database of one version.
    public typealias Fixture = @Sendable (Database) throws -> Void

    private let migrator: DatabaseMigrator
    private let fixtures: [String: Fixture]
    private let prepare: (@Sendable (Database) throws -> Void)?

    /// Creates a walk.
    ///
    /// - Parameters:
    ///   - migrator: The app's migrations.
    ///   - fixtures: For each migration, by its name, what the version that it was the last one of has in its tables.
    ///   - prepare: What the app's options do to each connection. Default: nothing.
    public init(
        _ migrator: DatabaseMigrator, fixtures: [String: Fixture],
        prepare: (@Sendable (Database) throws -> Void)? = nil
    ) {
        var migrator = migrator
        // It would erase what the walk is about.
        migrator.eraseDatabaseOnSchemaChange = false
        self.migrator = migrator
        self.fixtures = fixtures
        self.prepare = prepare
    }

    /// Walks from every version. Blocks the thread, for milliseconds a version.
    ///
    /// - Parameter check: Looks at a database that has come to the newest schema, in a transaction of its own; gets the
    ///   version that it came from. Throws where something is wrong. Default: no further check.
    /// - Throws: ``MigrationWalkError``, which names the version and the migration, at the first failure.
    public func run(
        check: (_ db: Database, _ version: String) throws -> Void = { _, _ in }
    ) throws(MigrationWalkError) {
        let versions = migrator.migrations
        guard let newest = versions.last else {
            throw MigrationWalkError(.nothingToWalk, "The migrator has no migration. Register one.")
        }
        if let unknown = fixtures.keys.filter({ !versions.contains($0) }).min() {
            throw MigrationWalkError(
                .fixtureUnknown, version: unknown,
                "There is a fixture for \u{201C}\(unknown)\u{201D}, which is no migration. Correct its name.")
        }
        let schema = try schemaOfNew(newest)
        for (index, version) in versions.enumerated() {
            guard let fixture = fixtures[version] else {
                throw MigrationWalkError(
                    .fixtureMissing, version: version,
                    "The version \u{201C}\(version)\u{201D} has no fixture. Write one: what users of it have in their tables."
                )
            }
            let step = MigrationStep(migrator: migrator, version: version)
            let database = try step.begin(prepare, fixture)
            for migration in versions[(index + 1)...] { try step.apply(migration, to: database) }
            try step.finish(database, schema: schema, check)
        }
    }

    private func schemaOfNew(_ newest: String) throws(MigrationWalkError) -> [String] {
        let step = MigrationStep(migrator: migrator, version: newest)
        do {
            let database = try MigrationStep.makeDatabase(prepare)
            try step.migrate(database, to: newest)
            return try database.read(MigrationStep.schema)
        } catch {
            throw (error as? MigrationWalkError)
                ?? MigrationWalkError(
                    .migrationFailed, migration: newest, "A new database cannot be migrated.", cause: error)
        }
    }
}
