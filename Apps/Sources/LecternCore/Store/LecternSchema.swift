public import GRDB

/// The tables of Lectern.
public enum LecternSchema {
    /// The migrations, in order. A migration never changes after a release.
    public static var migrator: DatabaseMigrator {
        DatabaseMigrator()
    }
}
