public import GRDB

/// A test for apps that migrates a database from every earlier schema, with data in it.
///
/// An empty database nearly always migrates; a user's may not. For each version, the walk creates a database of that
/// schema in memory. A fixture inserts rows as that version of the app did. Then the walk applies the later migrations
/// one by one. After each, rows must refer to existing rows, and SQLite must find the database intact. At the end, the
/// schema must be that of a new database, and the app's own check must pass.
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
/// Fixtures use SQL and not records, because records change with the app. Once written, a fixture stays as it is.
public struct MigrationWalk: Sendable {
    /// A closure that inserts rows into a database of one version.
    public typealias Fixture = @Sendable (Database) throws -> Void

    private let migrator: DatabaseMigrator
    private let fixtures: [String: Fixture]
    private let prepare: (@Sendable (Database) throws -> Void)?

    /// Creates a walk.
    ///
    /// - Parameters:
    ///   - migrator: The app's migrations.
    ///   - fixtures: For each migration, by its name: the fixture of the version whose last migration it was.
    ///   - prepare: The closure that runs on each connection, like ``AppDatabase/Options/prepare``. Default: none.
    public init(
        _ migrator: DatabaseMigrator, fixtures: [String: Fixture],
        prepare: (@Sendable (Database) throws -> Void)? = nil
    ) {
        var migrator = migrator
        // It would erase the database that the walk tests.
        migrator.eraseDatabaseOnSchemaChange = false
        self.migrator = migrator
        self.fixtures = fixtures
        self.prepare = prepare
    }

    /// Walks from every version. Blocks the thread, for milliseconds per version.
    ///
    /// - Parameter check: A closure that checks a database at the newest schema, in a transaction of its own. It
    ///   receives the version that the database began at, and throws if something is wrong. Default: no further check.
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
