import Foundation
import GRDB
import HablarePersistence
import HablareTestKit
import Testing

@Suite("PagedQuery") struct PagedQueryTests {
    @Test(
        "Pages forward and backward are the rows in order, with nulls and ties",
        arguments: Seeds.choose(8))
    func model(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let database = try AppDatabase.inMemory(migrator: Card.migrator)
        let cards = (0..<Int.random(in: 0...40, using: &random)).map { Card.random($0 * 2, &random) }
        try database.writer.write { db in for card in cards { try card.insert(db) } }
        for (order, isBefore) in Card.orders {
            let sorted = cards.sorted(by: isBefore)
            let size = Int.random(in: 1...7, using: &random)
            let query = try PagedQuery(order: order, size: size) { Card.all() }
            try database.reader.read { db in
                #expect(try all(query, .first, \.next, db) == sorted, "HABLARE_SEED=\(seed) \(order)")
                #expect(
                    try all(query, .last, \.previous, db) { $1 + $0 } == sorted, "HABLARE_SEED=\(seed) \(order)")
                // A page from any position has the rows that the model has around it.
                let everything = try PagedQuery(order: order, size: 100) { Card.all() }.page(in: db)
                for (index, cursor) in everything.cursors.enumerated() {
                    for (position, expected) in [
                        (PagePosition.after(cursor), index + 1..<min(index + 1 + size, sorted.count)),
                        (.from(cursor), index..<min(index + size, sorted.count)),
                        (.before(cursor), max(0, index - size)..<index),
                    ] {
                        let page = try query.page(position, in: db)
                        #expect(page.rows == Array(sorted[expected]), "HABLARE_SEED=\(seed) \(order) \(position)")
                        #expect(page.cursors == Array(everything.cursors[expected]))
                        #expect((page.previous != nil) == (expected.lowerBound > 0), "HABLARE_SEED=\(seed) \(order)")
                        #expect((page.next != nil) == (expected.upperBound < sorted.count))
                    }
                }
            }
        }
    }

    /// Returns the rows of all pages in a direction.
    private func all(
        _ query: PagedQuery<Card>, _ start: PagePosition, _ onward: KeyPath<Page<Card>, PagePosition?>, _ db: Database,
        _ join: ([Card], [Card]) -> [Card] = { $0 + $1 }
    ) throws -> [Card] {
        var cards: [Card] = []
        var position: PagePosition? = start
        while let now = position {
            let page = try query.page(now, in: db)
            #expect(page.rows.count <= query.size)
            cards = join(cards, page.rows)
            position = page[keyPath: onward]
        }
        return cards
    }

    @Test("Pages continue at a deleted row's position, without gaps or repetitions")
    func changed() throws {
        let database = try AppDatabase.inMemory(migrator: Card.migrator)
        try database.writer.write { db in for id in 0..<10 { try Card(id: id * 10, a: "x").insert(db) } }
        let query = try PagedQuery(order: PageOrder(.ascending("a"), unique: .ascending("id")), size: 3) { Card.all() }
        let first = try database.reader.read { try query.page(in: $0) }
        #expect(first.rows.map(\.id) == [0, 10, 20])
        try database.writer.write { db in
            try Card.deleteOne(db, key: 20)
            try Card(id: 5, a: "x").insert(db)
            try Card(id: 25, a: "x").insert(db)
        }
        let second = try database.reader.read { try query.page(#require(first.next), in: $0) }
        #expect(second.rows.map(\.id) == [25, 30, 40])
        let back = try database.reader.read { try query.page(#require(second.previous), in: $0) }
        #expect(back.rows.map(\.id) == [0, 5, 10])
    }

    @Test("A page beyond the last row is empty and leads back")
    func empty() throws {
        let database = try AppDatabase.inMemory(migrator: Card.migrator)
        let query = try PagedQuery(order: PageOrder(unique: .ascending("id")), size: 3) { Card.all() }
        try database.writer.write { db in
            let nothing = try query.page(in: db)
            #expect(nothing.rows == [] && nothing.next == nil && nothing.previous == nil)
            for id in 0..<4 { try Card(id: id).insert(db) }
            let last = try query.page(.last, in: db)
            let end = try #require(last.cursors.last)
            let start = try #require(try query.page(in: db).cursors.first)
            let after = try query.page(.after(end), in: db)
            #expect(after.rows == [] && after.next == nil && after.previous == .last)
            let before = try query.page(.before(start), in: db)
            #expect(before.rows == [] && before.previous == nil && before.next == .first)
            _ = try Card.deleteAll(db)
            #expect(try query.page(.after(end), in: db).previous == nil)
        }
    }

    @Test("Pages contain the request's rows, including joins, in the column's collation")
    func request() throws {
        let database = try AppDatabase.inMemory(migrator: Card.migrator)
        try database.writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE word (id INTEGER PRIMARY KEY, card INTEGER REFERENCES card, text TEXT COLLATE NOCASE);
                    """)
            for id in 0..<6 { try Card(id: id, a: id < 4 ? "yes" : "no").insert(db) }
            for (id, text) in ["b", "A", "B", "a", "C", "c"].enumerated() {
                try db.execute(sql: "INSERT INTO word VALUES (?, ?, ?)", arguments: [id, id, text])
            }
        }
        let query = try PagedQuery(order: PageOrder(.ascending("text"), unique: .descending("id")), size: 1) {
            Word.joining(required: Word.card.filter(Column("a") == "yes")).order(Column("id")).limit(1)
        }
        try database.reader.read { db in
            var texts: [String] = []
            var position: PagePosition? = .first
            while let now = position {
                let page = try query.page(now, in: db)
                texts += page.rows.map(\.text)
                position = page.next
            }
            #expect(texts == ["a", "A", "B", "b"])
        }
    }

    private struct Word: Codable, Sendable, FetchableRecord, TableRecord {
        static let databaseTableName = "word"
        static let card = belongsTo(Card.self)
        var id: Int
        var text: String
    }

    @Test("An invalid page size is refused", arguments: [Int.min, 0, PagedQuery<Card>.largestSize + 1, .max])
    func size(size: Int) {
        let error = #expect(throws: PagingError.self) {
            try PagedQuery(order: PageOrder(unique: .ascending("id")), size: size) { Card.all() }
        }
        #expect(error?.code == .invalidSize)
    }

    @Test("A cursor of another order, or a row without the order's columns, is refused")
    func refused() throws {
        let database = try AppDatabase.inMemory(migrator: Card.migrator)
        try database.writer.write { db in for id in 0..<3 { try Card(id: id).insert(db) } }
        let byID = try PagedQuery(order: PageOrder(unique: .ascending("id")), size: 2) { Card.all() }
        let other = try PagedQuery(order: PageOrder(.ascending("a"), unique: .ascending("id"))) { Card.all() }
        let narrow = try PagedQuery(order: other.order) { Card.select(Column("id")) }
        try database.reader.read { db in
            let next = try #require(try byID.page(in: db).next)
            let another = #expect(throws: PagingError.self) { try other.page(next, in: db) }
            #expect(another?.code == .cursorOfAnotherOrder)
            let missing = #expect(throws: PagingError.self) { try narrow.page(in: db) }
            #expect(missing?.code == .missingColumn && missing?.message.contains("\u{201C}a\u{201D}") == true)
        }
    }

    @Test("Pages are read off the caller by the database")
    func byDatabase() async throws {
        let database = try AppDatabase.inMemory(migrator: Card.migrator)
        try await database.write { db in for id in 0..<3 { try Card(id: id).insert(db) } }
        let query = try PagedQuery(order: PageOrder(unique: .ascending("id")), size: 2) { Card.all() }
        let first = try await database.page(of: query)
        let second = try await database.page(#require(first.next), of: query)
        #expect(second.rows.map(\.id) == [2])
    }
}
