import GRDB

/// Changes rows, and records how they were before and after, so that the changes can be undone.
struct RowRecorder {
    private(set) var changes: [RowChange] = []

    /// Inserts a row or changes columns of it.
    mutating func write(_ table: PersonalTable, _ key: RowImage, _ columns: RowImage, in db: Database) throws {
        try change(table, key, in: db) { before in
            (before ?? key).merging(columns) { _, new in new }
        }
    }

    /// Removes a row, if it exists.
    mutating func remove(_ table: PersonalTable, _ key: RowImage, in db: Database) throws {
        try change(table, key, in: db) { _ in nil }
    }

    private mutating func change(
        _ table: PersonalTable, _ key: RowImage, in db: Database, _ next: (RowImage?) -> RowImage?
    ) throws {
        let before = try RowChange.image(of: table, key, in: db)
        var change = RowChange(table: table, key: key, before: before, after: next(before))
        guard change.before != change.after else { return }
        _ = try change.repeated(in: db)
        // With the defaults of the table.
        change.after = try RowChange.image(of: table, key, in: db)
        changes.append(change)
    }
}
