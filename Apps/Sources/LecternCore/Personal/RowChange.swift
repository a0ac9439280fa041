import GRDB

/// The columns of a row.
typealias RowImage = [String: StoredValue]

/// A change of one row, with the row before and after it. `nil` stands for no row.
struct RowChange: Codable, Hashable, Sendable {
    var table: PersonalTable
    var key: RowImage
    var before: RowImage?
    var after: RowImage?

    /// Puts the row back as it was before the change. Returns whether the row was as the change had left it.
    ///
    /// A row that an import or another command has changed since stays as it is, because the undo would lose that
    /// change.
    func revert(in db: Database) throws -> Bool { try replace(after, by: before, in: db) }

    /// Makes the change again. Returns whether the row was as it was before the change.
    func repeated(in db: Database) throws -> Bool { try replace(before, by: after, in: db) }

    private func replace(_ expected: RowImage?, by image: RowImage?, in db: Database) throws -> Bool {
        let columns = try Set(db.columns(in: table.rawValue).map(\.name))
        guard Set(key.keys) == Set(table.key) else { return false }
        let now = try Self.image(of: table, key, in: db)
        // A later version may have added or removed columns.
        guard (now == nil) == (expected == nil),
            expected?.allSatisfy({ !columns.contains($0.key) || now?[$0.key] == $0.value }) ?? true
        else { return false }
        if let image {
            try write(image.filter { columns.contains($0.key) }, in: db)
        } else {
            try db.execute(
                literal: "DELETE FROM \(identifier: table.rawValue) WHERE \(Self.condition(key))")
        }
        return true
    }

    private func write(_ image: RowImage, in db: Database) throws {
        let columns = image.sorted { $0.key < $1.key }
        let names = columns.map { SQL("\(identifier: $0.key)") }.joined(separator: ", ")
        let values = columns.map { SQL("\($0.value)") }.joined(separator: ", ")
        let keys = table.key.map { SQL("\(identifier: $0)") }.joined(separator: ", ")
        let changes = columns.map { SQL("\(identifier: $0.key) = excluded.\(identifier: $0.key)") }
            .joined(separator: ", ")
        try db.execute(
            literal: """
                INSERT INTO \(identifier: table.rawValue) (\(names)) VALUES (\(values))
                ON CONFLICT (\(keys)) DO UPDATE SET \(changes)
                """)
    }

    /// Returns a row; `nil` if there is none.
    static func image(of table: PersonalTable, _ key: RowImage, in db: Database) throws -> RowImage? {
        let row = try SQLRequest<Row>("SELECT * FROM \(identifier: table.rawValue) WHERE \(condition(key))")
            .fetchOne(db)
        guard let row else { return nil }
        var image: RowImage = [:]
        for (column, value) in row {
            guard let value = StoredValue(value) else {
                throw PersonalDataError(
                    .databaseFailed, "The data is damaged. Restore a copy.", cause: "\(table.rawValue).\(column)")
            }
            image[column] = value
        }
        return image
    }

    private static func condition(_ key: RowImage) -> SQL {
        key.sorted { $0.key < $1.key }.map { SQL("\(identifier: $0.key) = \($0.value)") }.joined(separator: " AND ")
    }
}
