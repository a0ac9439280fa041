import Foundation
import GRDB
import HablarePersistence
import HablareTestKit
import Testing

@Suite("PageCursor") struct PageCursorTests {
    @Test("A cursor survives the round trip through text with any values")
    func roundTrip() throws {
        let database = try AppDatabase.inMemory(migrator: Card.migrator)
        let values: [(any DatabaseValueConvertible)?] = [
            nil, Int64.min, Int64.max, 0.1, -0.0, Double.infinity, -Double.infinity, Double.leastNonzeroMagnitude, "",
            "é.~/+\u{0}",
            "\u{1F600}",
            Data(), Data([0, 255, 62, 63]),
        ]
        try database.writer.write { db in
            try db.execute(sql: "CREATE TABLE anything (id INTEGER PRIMARY KEY, value)")
            for value in values {
                try db.execute(sql: "INSERT INTO anything (value) VALUES (?)", arguments: [value])
            }
        }
        let query = try PagedQuery(order: PageOrder(.ascending("value"), unique: .ascending("id"))) {
            Anything.all()
        }
        let page = try database.reader.read { try query.page(in: $0).cursors }
        #expect(page.count == values.count)
        for cursor in page {
            #expect(PageCursor(rawValue: cursor.rawValue) == cursor)
            let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
            #expect(Set(cursor.rawValue).isSubset(of: allowed), "it stands in an address as it is")
            let coded = try JSONDecoder().decode([PageCursor].self, from: JSONEncoder().encode([cursor]))
            #expect(coded == [cursor])
        }
    }

    private struct Anything: FetchableRecord, TableRecord, Sendable {
        init(row: Row) {}
    }

    @Test(
        "An invalid text is not a cursor",
        arguments: ["", ".", "a", "K2lk", "K2lk.", "K2lk.x", "K2lk.i", "K2lk.i1x", "%.i1"])
    func malformed(text: String) {
        #expect(PageCursor(rawValue: text) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([PageCursor].self, from: JSONEncoder().encode([text]))
        }
    }

    @Test("A forged cursor never traps", arguments: Seeds.choose(5))
    func forged(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let database = try AppDatabase.inMemory(migrator: Card.migrator)
        try database.writer.write { db in for id in 0..<9 { try Card.random(id, &random).insert(db) } }
        let order = PageOrder(.ascending("a"), .descending("b"), unique: .descending("id"))
        let query = try PagedQuery(order: order, size: 2) { Card.all() }
        let texts = try database.reader.read { try query.page(.last, in: $0).cursors.map(\.rawValue) }
        let letters = Array("abcdefn0123456789-_.tidb".utf8)
        for _ in 0..<300 {
            var bytes = Array(texts[Int.random(in: 0..<texts.count, using: &random)].utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] =
                    letters[Int.random(in: 0..<letters.count, using: &random)]
            }
            guard let cursor = PageCursor(rawValue: String(decoding: bytes, as: UTF8.self)) else { continue }
            do {
                let page = try database.reader.read { try query.page(.after(cursor), in: $0) }
                #expect(page.rows.count <= 2)
            } catch {
                #expect((error as? PagingError)?.code == .cursorOfAnotherOrder, "HABLARE_SEED=\(seed): \(error)")
            }
        }
    }
}
