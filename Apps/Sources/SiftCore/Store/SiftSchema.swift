public import GRDB
import HablareData
public import HablarePersistence

/// Sift's tables.
public enum SiftSchema {
    /// The options with which Sift opens its database. It does not watch for commits of other processes, because
    /// the lock of the data directory allows no other that writes. Watching costs a thread's turn with each decision.
    public static var options: AppDatabase.Options {
        var options = AppDatabase.Options()
        options.noticesOtherProcesses = false
        return options
    }

    /// The migrator from any earlier schema to the current one.
    public static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("001-library", migrate: createLibrary)
        migrator.registerMigration("002-decisions", migrate: createDecisions)
        migrator.registerMigration("003-favourites") { db in
            // Counting favourites reads no photo that is none.
            try db.create(
                index: "shot_favourite", on: "shot", columns: ["library", "state"], condition: Column("favourite"))
        }
        migrator.registerMigration("004-damage", migrate: addDamage)
        migrator.registerMigration("005-commands") { db in
            // The undo and redo commands that were carried out, so that a repeated one is found done.
            try db.create(table: "command", options: .withoutRowID) { table in
                table.primaryKey("id", .text)
                table.column("madeAt", .datetime).notNull().indexed()
            }
        }
        migrator.registerMigration("006-redo-index", migrate: indexRedo)
        migrator.registerMigration("007-moment-index") { db in
            // The neighbours of a photo in time, which may be a burst, are found without a look at all photos.
            try db.create(index: "shot_by_moment", on: "shot", columns: ["library", "time", "id"])
        }
        migrator.registerMigration("008-sidecar-values") { db in
            // The values that decisions have replaced in sidecars, so that an undo can put them back.
            try db.create(table: "sidecarValue", options: .withoutRowID) { table in
                table.primaryKey("decision", .text).references("decision", column: "id", onDelete: .cascade)
                table.column("value", .text)
            }
        }
        migrator.registerHablareData()
        return migrator
    }

    @Sendable private static func createLibrary(_ db: Database) throws {
        try db.create(table: "library") { table in
            table.autoIncrementedPrimaryKey("id")
            table.column("path", .blob).notNull().unique()
            table.column("device", .integer).notNull()
            table.column("writesSidecars", .boolean).notNull().defaults(to: false)
            table.column("addedAt", .datetime).notNull()
            table.column("scannedAt", .datetime)
        }
        try db.create(table: "shot") { table in
            table.autoIncrementedPrimaryKey("id")
            table.column("library", .integer).notNull().references("library", onDelete: .cascade)
            table.column("folder", .blob).notNull()
            table.column("key", .blob).notNull()
            // present, trashed or missing.
            table.column("state", .text).notNull()
            // When it was taken, or else modified: the order in which photos are shown.
            table.column("time", .double).notNull()
            table.column("header", .text)
            table.column("hash64", .integer)
            table.column("hash256", .blob)
            table.column("sharpness", .double)
            table.column("failure", .text)
            table.column("favourite", .boolean).notNull().defaults(to: false)
            table.column("rating", .integer)
            table.column("label", .text)
            // The kind of the last decision that settles the photo, and nil while it is undecided.
            table.column("decision", .text)
            table.column("decidedAt", .datetime)
        }
        try db.create(
            index: "shot_by_place", on: "shot", columns: ["library", "folder", "key"], options: .unique,
            condition: Column("state") == "present")
        try db.create(index: "shot_by_time", on: "shot", columns: ["library", "state", "decision", "time", "id"])
        try db.create(table: "file") { table in
            table.autoIncrementedPrimaryKey("id")
            table.column("shot", .integer).notNull().indexed().references("shot", onDelete: .cascade)
            // The place among the shot's files. 0 is the file that is shown.
            table.column("position", .integer).notNull()
            table.column("folder", .blob).notNull()
            table.column("name", .blob).notNull()
            table.column("role", .text).notNull()
            table.column("device", .integer).notNull()
            table.column("inode", .integer).notNull()
            table.column("size", .integer).notNull()
            table.column("modified", .integer).notNull()
            table.column("digest", .blob)
        }
    }

    @Sendable private static func addDamage(_ db: Database) throws {
        try db.alter(table: "shot") { table in
            // The picture shows only what is left of the photo.
            table.add(column: "isDamaged", .boolean).notNull().defaults(to: false)
        }
    }

    /// Without this index, each decision would look through all earlier ones for those that can be redone.
    @Sendable private static func indexRedo(_ db: Database) throws {
        try db.execute(sql: "CREATE INDEX decision_to_redo ON decision (library, number) WHERE canRedo")
    }

    @Sendable private static func createDecisions(_ db: Database) throws {
        try db.create(table: "session") { table in
            table.autoIncrementedPrimaryKey("id")
            table.column("library", .integer).notNull().references("library", onDelete: .cascade)
            table.column("startedAt", .datetime).notNull()
            table.column("endedAt", .datetime)
        }
        try db.create(table: "decision") { table in
            // The number orders decisions. The clock may be set back.
            table.autoIncrementedPrimaryKey("number")
            table.column("id", .text).notNull().unique()
            table.column("session", .integer).notNull().indexed().references("session", onDelete: .cascade)
            table.column("library", .integer).notNull()
            table.column("shot", .integer).notNull().indexed()
            table.column("kind", .text).notNull()
            table.column("action", .text).notNull()
            table.column("madeAt", .datetime).notNull()
            // Decisions of one step are undone and redone together.
            table.column("step", .text).indexed()
            table.column("isUndone", .boolean).notNull().defaults(to: false)
            table.column("canRedo", .boolean).notNull().defaults(to: false)
            // How often it was carried out or reverted, and up to which of these the outcome is known.
            table.column("execution", .integer).notNull().defaults(to: 0)
            table.column("settled", .integer).notNull().defaults(to: -1)
            table.column("failure", .text)
        }
        try db.create(
            index: "decision_to_settle", on: "decision", columns: ["number"],
            condition: Column("settled") < Column("execution"))
        try db.create(table: "trashAct") { table in
            table.primaryKey("key", .text)
            table.column("phase", .text).notNull()
            table.column("record", .text).notNull()
            table.column("changedAt", .datetime).notNull()
        }
    }
}
