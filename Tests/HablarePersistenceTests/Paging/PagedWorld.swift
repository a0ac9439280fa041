import GRDB
import HablarePersistence
import HablareTestKit

/// A row with two columns that repeat and may be null.
struct Card: Codable, Hashable, Sendable, FetchableRecord, PersistableRecord, Identifiable {
    static let databaseTableName = "card"
    var id: Int
    var a: String?
    var b: Double?

    /// The orders of cards with the comparisons that define them.
    static let orders: [(order: PageOrder, isBefore: @Sendable (Card, Card) -> Bool)] = [
        (PageOrder(unique: .ascending("id")), { $0.id < $1.id }),
        (PageOrder(unique: .descending("id")), { $0.id > $1.id }),
        (
            PageOrder(.ascending("a"), unique: .ascending("id")),
            { decide([compare($0.a, $1.a), compare($0.id, $1.id)]) }
        ),
        (
            PageOrder(.descending("a"), unique: .ascending("id")),
            { decide([-compare($0.a, $1.a), compare($0.id, $1.id)]) }
        ),
        (
            PageOrder(.ascending("a"), .descending("b"), unique: .descending("id")),
            { decide([compare($0.a, $1.a), -compare($0.b, $1.b), -compare($0.id, $1.id)]) }
        ),
        (
            PageOrder(.descending("b"), .ascending("a"), unique: .ascending("id")),
            { decide([-compare($0.b, $1.b), compare($0.a, $1.a), compare($0.id, $1.id)]) }
        ),
    ]

    /// Returns a random card that often equals another.
    static func random(_ id: Int, _ random: inout SeededGenerator) -> Card {
        Card(
            id: id, a: [nil, nil, "", "a", "b", "é"].randomElement(using: &random) ?? nil,
            b: [nil, nil, -.infinity, -1, 0, 0.1, 1e300].randomElement(using: &random) ?? nil)
    }

    static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("001-cards") { db in
            try db.create(table: "card") { table in
                table.primaryKey("id", .integer)
                table.column("a", .text)
                table.column("b", .double)
            }
            try db.execute(
                sql: """
                    CREATE INDEX card_a ON card (a, id);
                    CREATE INDEX card_a_reversed ON card (a DESC, id);
                    CREATE INDEX card_ab ON card (a, b DESC, id DESC);
                    CREATE INDEX card_ba ON card (b DESC, a, id);
                    """)
        }
        return migrator
    }()
}

/// Compares values, with null before everything.
private func compare<Value: Comparable>(_ left: Value?, _ right: Value?) -> Int {
    switch (left, right) {
    case (nil, nil): 0
    case (nil, _): -1
    case (_, nil): 1
    case (let left?, let right?): left < right ? -1 : left > right ? 1 : 0
    }
}

private func decide(_ comparisons: [Int]) -> Bool { (comparisons.first { $0 != 0 } ?? 0) < 0 }
