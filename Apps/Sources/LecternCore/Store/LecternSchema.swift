public import GRDB
import HablareData
public import HablarePersistence

/// The tables of Lectern.
public enum LecternSchema {
    /// The options with which Lectern opens its database. It does not watch for commits of other processes, because one
    /// process at a time uses a data folder.
    public static var options: AppDatabase.Options {
        var options = AppDatabase.Options()
        options.noticesOtherProcesses = false
        return options
    }

    /// The migrator from any earlier schema to the current one. A migration never changes after a release.
    /// After a release, further migrations are registered at the end, so that documents of older versions can be
    /// imported.
    public static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("001-texts", migrate: createTexts)
        migrator.registerMigration("002-marks", migrate: createMarks)
        migrator.registerMigration("003-plans", migrate: createPlans)
        migrator.registerHablareData()
        return migrator
    }
}
