public import GRDB

/// A test for apps. It migrates a database from every earlier schema, with data in the database.
///
/// Use it because a migration that works on an empty database may fail on a user's database. For each version of the
/// schema, the test creates a database in memory. A fixture inserts rows as that version of the app did. The test then
/// applies the later migrations one by one. After each migration, all references must point to existing rows, and
/// SQLite must find the database intact. At the end, the schema must equal the schema of a new database, and the app's
/// own check must pass.
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
/// Fixtures use SQL, not records, because records change with the app. Do not change a fixture after it was written.
public struct MigrationWalk: Sendable {
    /// A closure that inserts rows into a database with one version's schema.
    public typealias Fixture = @Sendable (Database) throws -> Void

    private let migrator: DatabaseMigrator
    private let fixtures: [String: Fixture]
    private let prepare: (@Sendable (Database) throws -> Void)?

    /// Creates a test.
    ///
    /// - Parameters:
    ///   - migrator: The app's migrations.
    ///   - fixtures: The fixture of each version, by the name of the version's last migration.
    ///   - prepare: A closure that runs on each connection, like ``AppDatabase/Options/prepare``. Default: none.
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

    /// Runs the test from every version. Blocks the thread for some milliseconds for each version.
    ///
    /// - Parameter check: A closure that checks a database with the newest schema, in a separate transaction. It
    ///   receives the version from which the database was migrated. It throws an error if something is wrong. Default:
    ///   no further check.
    /// - Throws: ``MigrationWalkError`` at the first failure. The error names the version and the migration.
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
                "There is a fixture for \u{201C}\(unknown)\u{201D}, but no such migration. Correct the name.")
        }
        let schema = try schemaOfNew(newest)
        for (index, version) in versions.enumerated() {
            guard let fixture = fixtures[version] else {
                throw MigrationWalkError(
                    .fixtureMissing, version: version,
                    "The version \u{201C}\(version)\u{201D} has no fixture. Write a fixture that inserts rows like those of the version's users."
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
                    .migrationFailed, migration: newest, "A new database cannot be migrated. See the cause.",
                    cause: error)
        }
    }
}
