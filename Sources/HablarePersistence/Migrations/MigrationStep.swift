import GRDB

/// The part of a migration test that begins at one version of the schema.
struct MigrationStep {
    let migrator: DatabaseMigrator
    /// The version of the schema at which this part begins.
    let version: String

    static func makeDatabase(_ prepare: (@Sendable (Database) throws -> Void)?) throws -> DatabaseQueue {
        var configuration = Configuration()
        if let prepare { configuration.prepareDatabase(prepare) }
        return try DatabaseQueue(configuration: configuration)
    }

    /// Returns the SQL that created each part of a database. If a part has no SQL, returns its name.
    static func schema(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db,
            sql: "SELECT coalesce(sql, name) FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY 1"
        )
    }

    /// Creates a database with the version's schema and the rows of the version's fixture.
    func begin(
        _ prepare: (@Sendable (Database) throws -> Void)?, _ fixture: MigrationWalk.Fixture
    ) throws(MigrationWalkError) -> DatabaseQueue {
        let database: DatabaseQueue
        do {
            database = try Self.makeDatabase(prepare)
        } catch {
            throw failure(.fixtureFailed, nil, "A database in memory could not be created. See the cause.", error)
        }
        try migrate(database, to: version)
        let hasWritten: Bool
        do {
            hasWritten = try database.write { db in
                let before = db.totalChangesCount
                try fixture(db)
                try db.checkForeignKeys()
                return db.totalChangesCount > before
            }
        } catch {
            throw failure(.fixtureFailed, nil, "The fixture failed. Correct it.", error)
        }
        guard hasWritten else {
            throw failure(.fixtureEmpty, nil, "The fixture writes nothing, so nothing would be tested. Insert rows.")
        }
        return database
    }

    /// Applies a migration, and checks the database after it.
    func apply(_ migration: String, to database: DatabaseQueue) throws(MigrationWalkError) {
        try migrate(database, to: migration)
        let violation: (any Error)?
        let complaints: [String]
        do {
            (violation, complaints) = try database.read { db in
                (Self.violation(db), try String.fetchAll(db, sql: "PRAGMA integrity_check"))
            }
        } catch {
            throw failure(.damaged, migration, "The database can no longer be read. Correct the migration.", error)
        }
        if let violation {
            throw failure(
                .danglingReferences, migration, "Rows refer to rows that do not exist. Correct the migration.",
                violation)
        }
        guard complaints == ["ok"] else {
            throw failure(
                .damaged, migration, "SQLite reports: \(complaints.joined(separator: "; ")). Correct the migration.")
        }
    }

    /// Checks a database that has reached the newest schema.
    func finish(
        _ database: DatabaseQueue, schema: [String], _ check: (Database, String) throws -> Void
    ) throws(MigrationWalkError) {
        do {
            let differences = try database.read(Self.schema).difference(from: schema)
            guard differences.isEmpty else {
                throw failure(
                    .otherSchema, nil,
                    "The migrated schema differs from the schema of a new database: \(differences.map(Self.words).joined(separator: "; "))."
                )
            }
            try database.write { db in try check(db, version) }
        } catch let error as MigrationWalkError {
            throw error
        } catch {
            throw failure(.checkFailed, nil, "The app's check failed. See the cause.", error)
        }
    }

    func migrate(_ database: DatabaseQueue, to migration: String) throws(MigrationWalkError) {
        do {
            try migrator.migrate(database, upTo: migration)
        } catch {
            throw failure(.migrationFailed, migration, "The migration failed with these rows. See the cause.", error)
        }
    }

    private static func violation(_ db: Database) -> (any Error)? {
        do {
            try db.checkForeignKeys()
            return nil
        } catch {
            return error
        }
    }

    private static func words(_ change: CollectionDifference<String>.Change) -> String {
        switch change {
        case .insert(_, let sql, _): "it has \(sql)"
        case .remove(_, let sql, _): "it does not have \(sql)"
        }
    }

    private func failure(
        _ code: MigrationWalkError.Code, _ migration: String?, _ message: String, _ cause: (any Error)? = nil
    ) -> MigrationWalkError {
        let location = migration.map { ", at the migration \u{201C}\($0)\u{201D}" } ?? ""
        return MigrationWalkError(
            code, version: version, migration: migration,
            "With the rows of version \u{201C}\(version)\u{201D}\(location): \(message)", cause: cause)
    }
}
