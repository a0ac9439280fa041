import Dispatch
import Foundation
import GRDB
import Hablare
import HablarePersistence
import HablareSupport
import HablareTestFiles
import HablareTestKit
import Testing

@MainActor
@Suite("PageWindow", .timeLimit(.minutes(2))) struct PageWindowTests {
    private let database: AppDatabase
    private let query: PagedQuery<Card>

    init() throws {
        database = try AppDatabase.inMemory(migrator: Card.migrator)
        query = try PagedQuery(order: PageOrder(unique: .ascending("id")), size: 4) { Card.all() }
    }

    private func insert(_ ids: some Sequence<Int>) throws {
        let ids = Array(ids)
        try database.writer.write { db in for id in ids { try Card(id: id).insert(db) } }
    }

    @Test("A window moves forward and back by half its size or a given count, and not past an end")
    func moves() async throws {
        try insert(0..<9)
        let window = PageWindow(query, in: database)
        #expect(window.rows == [])
        try await window.load()
        #expect(window.rows.map(\.id) == [0, 1, 2, 3] && !window.hasRowsBefore && window.hasRowsAfter)
        try await window.moveForward()
        #expect(window.rows.map(\.id) == [2, 3, 4, 5] && window.hasRowsBefore && window.hasRowsAfter)
        try await window.moveForward(by: 100)
        #expect(window.rows.map(\.id) == [5, 6, 7, 8], "it is full at the end")
        #expect(!window.hasRowsAfter)
        try await window.moveForward()
        #expect(window.rows.map(\.id) == [5, 6, 7, 8])
        try await window.moveBack(by: 1)
        #expect(window.rows.map(\.id) == [4, 5, 6, 7])
        try await window.moveBack(by: -5)
        #expect(window.rows.map(\.id) == [3, 4, 5, 6], "by one at least")
        try await window.moveBack(by: .max)
        #expect(window.rows.map(\.id) == [0, 1, 2, 3])
        try await window.moveBack()
        #expect(window.rows.map(\.id) == [0, 1, 2, 3] && !window.hasRowsBefore)
        try await window.move(to: .last)
        #expect(window.rows.map(\.id) == [5, 6, 7, 8])
    }

    @Test("A window of one row moves by one")
    func one() async throws {
        try insert(0..<3)
        let query = try PagedQuery(order: PageOrder(unique: .descending("id")), size: 1) { Card.all() }
        let window = PageWindow(query, in: database)
        try await window.load()
        var seen = window.rows.map(\.id)
        while window.hasRowsAfter {
            try await window.moveForward()
            seen += window.rows.map(\.id)
        }
        #expect(seen == [2, 1, 0])
        try await window.moveBack()
        #expect(window.rows.map(\.id) == [1])
    }

    @Test(
        "A window agrees with a model under random inserts, deletes and moves",
        arguments: Seeds.choose(10))
    func model(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let window = PageWindow(query, in: database)
        var ids: Set<Int> = []
        var start: Int? = nil  // the position: a number that a row has or had, or the start
        for step in 0..<100 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                let id = Int.random(in: 0..<60, using: &random)
                if ids.insert(id).inserted { try insert([id]) }
                try await window.load()
            case 2:
                if let id = ids.sorted().randomElement(using: &random) {
                    ids.remove(id)
                    _ = try await database.write { try Card.deleteOne($0, key: id) }
                }
                try await window.load()
            case 3: try await window.load()
            case 4:
                let shown = Self.shown(ids, from: start)
                if let last = shown.last, ids.contains(where: { $0 > last }) {
                    start = shown[max(0, shown.count / 2 - 1)] + 1
                }
                try await window.load()
                try await window.moveForward()
            default:
                let shown = Self.shown(ids, from: start)
                if let first = shown.first, ids.contains(where: { $0 < first }) {
                    let end = shown[shown.count - max(1, shown.count / 2)]
                    start = ids.filter { $0 < end }.sorted().suffix(4).first
                }
                try await window.load()
                try await window.moveBack()
            }
            let expected = Self.shown(ids, from: start)
            // Without rows before it the position is the start, else that of the first row.
            start = ids.contains { $0 < expected.first ?? 0 } ? expected.first : nil
            #expect(window.rows.map(\.id) == expected, "HABLARE_SEED=\(seed), step \(step)")
            #expect(window.hasRowsBefore == ids.contains { $0 < expected.first ?? 0 })
            #expect(window.hasRowsAfter == ids.contains { $0 > expected.last ?? 99 })
        }
    }

    private static func shown(_ ids: Set<Int>, from start: Int?) -> [Int] {
        let sorted = ids.sorted()
        let rest = sorted.filter { $0 >= start ?? 0 }
        return Array(rest.count < 4 ? sorted.suffix(4) : rest.prefix(4))
    }

    @Test("An observed window updates itself until its task is cancelled")
    func observed() async throws {
        try insert([10, 20, 30, 40, 50, 60])
        let window = PageWindow(query, in: database)
        try await window.load()
        try await window.moveForward(by: 1)
        #expect(window.rows.map(\.id) == [20, 30, 40, 50])
        let error = await withTaskGroup(of: (any Error)?.self) { group in
            group.addTask {
                do {
                    try await window.observe()
                    return nil
                } catch {
                    return error
                }
            }
            do {
                try insert([5])  // before it, so it does not move
                try insert([25])
                await rows(of: window, become: [20, 25, 30, 40])
                _ = try await database.write { try Card.deleteOne($0, key: 20) }
                await rows(of: window, become: [25, 30, 40, 50])
                _ = try await database.write { try Card.filter(Column("id") > 30).deleteAll($0) }
                await rows(of: window, become: [5, 10, 25, 30])
            } catch {
                Issue.record(error)
            }
            group.cancelAll()
            return await group.next() ?? nil
        }
        #expect(error is CancellationError)
    }

    /// Waits until the window shows these rows.
    private func rows(of window: PageWindow<Card>, become ids: [Int]) async {
        while window.rows.map(\.id) != ids { await Task.yield() }
    }

    @Test("A window keeps its rows if a read fails, and works afterwards")
    func failing() async throws {
        try insert(0..<9)
        let window = PageWindow(query, in: database)
        try await window.load()
        let other = try PagedQuery(order: PageOrder(unique: .descending("id"))) { Card.all() }
        let cursor = try #require(try await database.page(of: other).cursors.first)
        await #expect(throws: PagingError.self) { try await window.move(to: .after(cursor)) }
        #expect(window.rows.map(\.id) == [0, 1, 2, 3])
        try await window.load()
        try await window.moveForward()
        #expect(window.rows.map(\.id) == [2, 3, 4, 5])
    }

    /// Returns a database in a file, which can be read while another read is blocked.
    private func nineCards(in folder: TemporaryFolder) async throws -> AppDatabase {
        let file = try AppDatabase(at: folder.url.appendingPathComponent("cards.sqlite"), migrator: Card.migrator)
        try await file.write { db in for id in 0..<9 { try Card(id: id).insert(db) } }
        return file
    }

    @Test("A failed move that overtook another one keeps the window's rows")
    func overtakenInVain() async throws {
        let folder = try TemporaryFolder()
        let file = try await nineCards(in: folder)
        let held = HeldQuery()
        let window = PageWindow(try held.query(), in: file)
        try await window.load()
        try await window.moveForward(by: 1)
        let other = try PagedQuery(order: PageOrder(unique: .descending("id"))) { Card.all() }
        let wrong = try #require(try await file.page(of: other).cursors.first)
        held.holdNext()
        async let late: Void = window.move(to: .last)
        while held.isAwaited { await Task.yield() }
        await #expect(throws: PagingError.self) { try await window.move(to: .after(wrong)) }
        held.letGo()
        try await late
        #expect(window.rows.map(\.id) == [1, 2, 3, 4])
        // Like a change under `observe`.
        try await window.load()
        #expect(window.rows.map(\.id) == [1, 2, 3, 4])
    }

    @Test("The last move wins even if an earlier one's read ends later")
    func overtaken() async throws {
        let folder = try TemporaryFolder()
        let file = try await nineCards(in: folder)
        let held = HeldQuery()
        let window = PageWindow(try held.query(), in: file)
        try await window.load()
        held.holdNext()
        async let late: Void = window.move(to: .last)
        while held.isAwaited { await Task.yield() }
        try await window.moveForward(by: 1)
        #expect(window.rows.map(\.id) == [1, 2, 3, 4])
        held.letGo()
        try await late
        #expect(window.rows.map(\.id) == [1, 2, 3, 4])
        try await window.load()
        #expect(window.rows.map(\.id) == [1, 2, 3, 4])
    }
}

/// A query that can block one of its reads.
private final class HeldQuery: Sendable {
    private let holdsNext = Locked(false)
    private let gate = DispatchSemaphore(value: 0)

    /// Whether the read to block has not started yet.
    var isAwaited: Bool { holdsNext.withLock { $0 } }

    func holdNext() { holdsNext.withLock { $0 = true } }

    func letGo() { gate.signal() }

    func query() throws -> PagedQuery<Card> {
        try PagedQuery(order: PageOrder(unique: .ascending("id")), size: 4) { [self] in
            let holds = holdsNext.withLock { holdsNext in
                defer { holdsNext = false }
                return holdsNext
            }
            if holds { gate.wait() }
            return Card.all()
        }
    }
}
