import Foundation
import GRDB
import Hablare
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareSQLite

/// A database that is full by its quota.
@Suite struct QuotaTests {
    private let sqlite: SQLiteBench
    private var bench: StoreWorkbench { sqlite.bench }
    /// Returns a large prompt that differs by number.
    private static func large(_ number: Int) -> Prompt { .text(String(repeating: "x", count: 20_000) + "\(number)") }

    init() throws {
        sqlite = try SQLiteBench(.init(maximumDatabaseSize: 512 * 1024))
    }

    private func fill() throws -> Int {
        for number in 0..<1_000 {
            do {
                try bench.submit(StoreWorkbench.submission(number, prompt: Self.large(number)))
            } catch {
                #expect((error as? AIServiceError)?.code == .storageFull)
                return number
            }
        }
        Issue.record("The quota was never reached")
        return 0
    }

    @Test("A full store reports storageFull, loses nothing, and works again after a deletion")
    func full() throws {
        let stored = try fill()
        #expect(stored > 5)
        #expect(throws: AIServiceError.self) {
            try bench.submit(StoreWorkbench.submission(5_000, prompt: Self.large(5_000)))
        }
        #expect(try bench.store.snapshots(SnapshotFilter()).map(\.id) == (0..<stored).map(StoreWorkbench.id))
        #expect(try bench.store.request(of: StoreWorkbench.id(0))?.request.prompt == Self.large(0))
        for number in 0..<3 {
            try #require(
                try bench.write(.delete(StoreWorkbench.id(number), at: StoreWorkbench.date(1))) == .done,
                "A full store did not delete")
        }
        try bench.submit(StoreWorkbench.submission(6_000, prompt: Self.large(6_000)))
        #expect(try bench.store.snapshots(SnapshotFilter()).count == stored - 2)
    }

    @Test("A full store deletes even if the write-ahead log has no room")
    func fullLog() throws {
        for number in 2_000..<2_010 { try bench.submit(number) }
        _ = try fill()
        let other = try SQLiteStore(directory: sqlite.folder.url)
        // The log takes all the room that is left.
        for size in [500, 1] {
            #expect(throws: DatabaseError.self) {
                for _ in 0..<50_000 {
                    try sqlite.store.pool.write {
                        try $0.execute(
                            sql: "INSERT INTO commits (writer, changes) VALUES (1, ?)", arguments: [Data(count: size)])
                    }
                }
            }
        }
        for number in 2_000..<2_010 {
            try #require(
                try bench.write(.delete(StoreWorkbench.id(number), at: StoreWorkbench.date(1))) == .done,
                "A full store did not delete")
        }
        #expect(try !other.foreignChanges { _ in false }.isComplete)
        try bench.submit(9_000)
        #expect(try other.foreignChanges { _ in true }.isComplete)
    }

    @Test("A commit that does not fit is rolled back, and its statements work in the next one")
    func wholeBatch() throws {
        let before = try fill()
        let writes = try (7_000..<7_005).map { number in
            StoreWrite.submit(try StoreWorkbench.submission(number, prompt: Self.large(number)))
        }
        let error = try serviceError { _ = try bench.store.commit(writes) }
        #expect(error.code == .storageFull)
        #expect(try bench.store.snapshots(SnapshotFilter()).count == before)
        _ = try bench.write(.delete(StoreWorkbench.id(0), at: StoreWorkbench.date(1)))
        try bench.submit(StoreWorkbench.submission(8_000, prompt: "small"))
        #expect(try bench.store.request(of: StoreWorkbench.id(8_000))?.request.prompt == "small")
    }
}
