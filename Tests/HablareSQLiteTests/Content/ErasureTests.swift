import Foundation
import GRDB
import Hablare
import HablareFiles
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareSQLite

/// After a deletion no file in the store's folder contains the bytes.
@Suite struct ErasureTests {
    private let sqlite: SQLiteBench
    private var bench: StoreWorkbench { sqlite.bench }

    init() throws {
        sqlite = try SQLiteBench()
    }

    private static func marker(_ number: Int) -> String { "top-secret-\(number)-" }

    /// Returns the numbers whose marker is in some file.
    private func found(_ numbers: some Sequence<Int>) throws -> [Int] {
        var bytes = Data()
        let folder = sqlite.folder.url
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        for name in names {
            let file = folder.appendingPathComponent(name)
            if try FileSystem.size(ofFile: file.path) != nil { bytes += try Data(contentsOf: file) }
        }
        return numbers.filter { bytes.range(of: Data(Self.marker($0).utf8)) != nil }
    }

    /// Completes a request full of its marker, below and above the threshold.
    private func fill(_ number: Int, repeating count: Int, by owner: OwnerID) async throws {
        let text = String(repeating: Self.marker(number), count: count)
        let request = AIRequest(
            id: StoreWorkbench.id(number), prompt: .text(text), parameters: ["p": .string(text)],
            metadata: ["m": String(text.prefix(200))])
        var submission = try StoreWorkbench.submission(of: request)
        let body = count > 1000 ? try await sqlite.put("answer \(text)") : Body("answer \(text)")
        if count > 1000 { submission.promptContent = try await sqlite.put(text).reference }
        try bench.complete([submission], by: owner, with: .text(body))
    }

    /// Starts a streamed answer full of a marker, and journals it in groups.
    private func stream(_ number: Int, repeating count: Int, by owner: OwnerID) throws -> RunningAttempt {
        try bench.submit(
            StoreWorkbench.submission(
                of: AIRequest(
                    id: StoreWorkbench.id(number), prompt: .text(Self.marker(number)), streaming: StreamingPolicy())))
        let attempt = try bench.startNext(owner)
        for group in 0..<3 {
            let chunks = (0..<2).map { "\(group).\($0) " + String(repeating: Self.marker(number), count: count) }
            #expect(try bench.append(attempt, 2 * group, chunks) == .done)
        }
        return attempt
    }

    /// Returns a reader of the present state, which stays open until it is closed.
    private func startReading() throws -> DatabaseSnapshot {
        let reader = try sqlite.store.pool.makeSnapshot()
        try reader.read { _ = try Int.fetchOne($0, sql: "SELECT count(*) FROM requests") }
        return reader
    }

    @Test("A deletion erases prompt, parameters, labels and answer from disk, small or large")
    func gone() async throws {
        let owner = try bench.register()
        for number in 10..<40 {
            try await fill(number, repeating: [1, 20, 300, 5000][number % 4], by: owner)
        }
        #expect(try found(10..<40).count == 30)
        for number in 10..<40 where number % 3 != 0 {
            #expect(try bench.write(.delete(StoreWorkbench.id(number), at: StoreWorkbench.date(500))) == .done)
            #expect(try found([number]) == [])
        }
        #expect(try found(10..<40) == (10..<40).filter { $0 % 3 == 0 })
    }

    @Test("A deletion erases a streamed answer, wherever its body is stored", arguments: [1, 40, 2000])
    func streamed(count: Int) async throws {
        let owner = try bench.register()
        for number in 10..<13 {
            let attempt = try stream(number, repeating: count, by: owner)
            let text = String(repeating: Self.marker(number), count: 6 * count)
            let body = count > 1000 ? try await sqlite.put(text) : Body(text)
            var end = attempt.completed(.text(body))
            end.isStreaming = true
            _ = try bench.write(.settle(end))
        }
        #expect(try found(10..<13) == [10, 11, 12])
        for number in 10..<12 {
            #expect(try bench.write(.delete(StoreWorkbench.id(number), at: StoreWorkbench.date(500))) == .done)
        }
        #expect(try found(10..<13) == [12], "and the one beside them is whole")
        #expect(try bench.store.response(of: StoreWorkbench.id(12)) != nil)
    }

    @Test("A deletion erases resume handles, used or not")
    func handles() throws {
        let owner = try bench.register()
        for number in 10..<14 {
            try bench.submit(number)
            let attempt = try bench.startNext(owner)
            #expect(try bench.remember(Data(Self.marker(number).utf8), attempt) == .done)
            switch number {
            case 10: _ = try bench.write(.settle(attempt.completed()))
            case 11: _ = try bench.write(.settle(attempt.postponed(until: 60)))
            default: break
            }
        }
        #expect(try found([13]) == [13])
        for number in 10..<13 {
            _ = try bench.write(.delete(StoreWorkbench.id(number), at: StoreWorkbench.date(500)))
        }
        #expect(try found(10..<14) == [13])
    }

    @Test("A deletion erases the partial answer of a failed or cancelled request", arguments: [1, 40, 2000])
    func partial(count: Int) throws {
        let owner = try bench.register()
        for number in 10..<13 {
            let attempt = try stream(number, repeating: count, by: owner)
            if number == 11 {
                _ = try bench.write(.cancel(attempt.request, at: StoreWorkbench.date(3)))
            } else {
                // The provider's error may contain it, too.
                let marker = Self.marker(number)
                var end = attempt.failed(AIServiceError(.providerFailed, "No: \(marker)", cause: marker))
                end.isStreaming = true
                _ = try bench.write(.settle(end))
            }
            let page = try bench.store.stream(of: attempt.request, from: .start, maximumBytes: 1 << 20)
            #expect(page?.chunks.isEmpty == false, "the part is there to be read")
        }
        #expect(try found(10..<13) == [10, 11, 12])
        for number in 10..<12 {
            #expect(try bench.write(.delete(StoreWorkbench.id(number), at: StoreWorkbench.date(500))) == .done)
        }
        #expect(try found(10..<13) == [12])
    }

    @Test("Deleting a request during its stream erases the answer and refuses later chunks")
    func underWay() throws {
        let attempt = try stream(10, repeating: 40, by: try bench.register())
        _ = try bench.write(.delete(attempt.request, at: StoreWorkbench.date(3)))
        #expect(try bench.store.snapshot(of: attempt.request) == nil)
        #expect(try found([10]) == [])
        #expect(try bench.append(attempt, 6, [Self.marker(10)]) != .done)
        #expect(try found([10]) == [])
    }

    @Test(
        "A shared prompt is erased with its last request, even after a separate retry",
        arguments: [20, 5000])
    func retriedAlone(count: Int) async throws {
        let owner = try bench.register()
        let text = String(repeating: Self.marker(10), count: count)
        for number in 10...11 {
            var submission = try StoreWorkbench.submission(number, prompt: .text(text))
            if count > 1000 { submission.promptContent = try await sqlite.put(text).reference }
            _ = try bench.write(.submit(submission))
        }
        _ = try bench.write(.cancel(StoreWorkbench.id(10), at: StoreWorkbench.date(3)))
        try bench.finishNext(owner)
        _ = try bench.write(.delete(StoreWorkbench.id(11), at: StoreWorkbench.date(4)))
        _ = try bench.write(.retry(StoreWorkbench.id(10), at: StoreWorkbench.date(5)))
        let claimed = try bench.claimOne(owner, at: 6)
        #expect(claimed.request.prompt == .text(text), "what it is to do is kept")
        _ = try bench.write(.delete(StoreWorkbench.id(10), at: StoreWorkbench.date(7)))
        #expect(try found([10]) == [])
        #expect(try bench.store.snapshots(SnapshotFilter()) == [])
    }

    @Test("A deletion also erases content evicted before")
    func evictedBefore() async throws {
        let owner = try bench.register()
        try await fill(10, repeating: 700, by: owner)
        _ = try bench.write(.evict(StoreWorkbench.id(10)))
        _ = try bench.write(.delete(StoreWorkbench.id(10), at: StoreWorkbench.date(500)))
        #expect(try found([10]) == [])
    }

    @Test("A reader of an older state delays the erasure until the next commit after it")
    func reader() async throws {
        let owner = try bench.register()
        try await fill(10, repeating: 20, by: owner)
        let reader = try startReading()
        #expect(try bench.write(.delete(StoreWorkbench.id(10), at: StoreWorkbench.date(500))) == .done)
        #expect(try found([10]) == [10])
        try reader.close()
        try bench.submit(1)
        #expect(try found([10]) == [])
    }

    @Test("After a crash the next process's first commit completes the erasure")
    func diedBefore() async throws {
        let owner = try bench.register()
        try await fill(10, repeating: 20, by: owner)
        let reader = try startReading()
        _ = try bench.write(.delete(StoreWorkbench.id(10), at: StoreWorkbench.date(500)))
        let next = try SQLiteStore(directory: sqlite.folder.url)
        try reader.close()
        try StoreWorkbench(store: next).submit(1)
        #expect(try found([10]) == [])
    }

    /// Whether the database has a mark for pending erasures.
    private func isMarked() throws -> Bool {
        try sqlite.store.pool.read { try ErasureMark.wanted($0) != nil }
    }

    private func hasForeignChanges(_ store: SQLiteStore) throws -> Bool {
        try !store.foreignChanges { _ in true }.isEmpty
    }

    @Test("A deletion that emptied the write-ahead log leaves no mark")
    func unmarked() async throws {
        try await fill(10, repeating: 20, by: try bench.register())
        #expect(try !isMarked(), "a new store has nothing to erase")
        _ = try bench.write(.delete(StoreWorkbench.id(10), at: StoreWorkbench.date(500)))
        #expect(try found([10]) == [] && !isMarked())
    }

    @Test("A pending erasure is completed by another process when it reads foreign changes")
    func otherProcess() async throws {
        let other = try SQLiteStore(directory: sqlite.folder.url)
        try await fill(10, repeating: 20, by: try bench.register())
        _ = try hasForeignChanges(other)
        let reader = try startReading()
        _ = try bench.write(.delete(StoreWorkbench.id(10), at: StoreWorkbench.date(500)))
        // That process ends here and commits nothing more.
        #expect(try hasForeignChanges(other))
        #expect(try !hasForeignChanges(other))
        #expect(try found([10]) == [10] && isMarked())
        try reader.close()
        #expect(try !hasForeignChanges(other))
        #expect(try found([10]) == [] && !isMarked())
    }

    @Test("The deleting process has time to empty the log before another process does")
    func firstLook() async throws {
        let other = try SQLiteStore(directory: sqlite.folder.url)
        try await fill(10, repeating: 20, by: try bench.register())
        let reader = try startReading()
        _ = try bench.write(.delete(StoreWorkbench.id(10), at: StoreWorkbench.date(500)))
        try reader.close()
        #expect(try hasForeignChanges(other))
        #expect(try found([10]) == [10])
        #expect(try !hasForeignChanges(other))
        #expect(try found([10]) == [])
    }

    @Test("A pending erasure is completed when a store is opened")
    func opening() async throws {
        try await fill(10, repeating: 20, by: try bench.register())
        let reader = try startReading()
        _ = try bench.write(.delete(StoreWorkbench.id(10), at: StoreWorkbench.date(500)))
        try reader.close()
        #expect(try found([10]) == [10])
        _ = try SQLiteStore(directory: sqlite.folder.url)
        #expect(try found([10]) == [])
    }

    @Test("A store without the row for the erasure mark still erases")
    func damaged() async throws {
        try await fill(10, repeating: 20, by: try bench.register())
        try await sqlite.store.pool.write { try $0.execute(sql: "DELETE FROM erasures") }
        #expect(try bench.write(.delete(StoreWorkbench.id(10), at: StoreWorkbench.date(500))) == .done)
        #expect(try found([10]) == [])
        #expect(try !isMarked())
    }

    @Test("An erasure mark set while the log is emptied is not cleared")
    func meanwhile() throws {
        try sqlite.store.pool.write { db in
            try ErasureMark.set(db)
            let wanted = try #require(try ErasureMark.wanted(db))
            try ErasureMark.set(db)
            try ErasureMark.clear(wanted, db)
            let later = try #require(try ErasureMark.wanted(db))
            try ErasureMark.clear(later, db)
            try ErasureMark.clear(wanted, db)
            #expect(try ErasureMark.wanted(db) == nil)
        }
    }

    @Test("A deletion does not change the store's busy timeout")
    func patience() async throws {
        func timeout() throws -> Int? {
            try sqlite.store.pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA busy_timeout") }
        }
        let before = try timeout()
        try bench.submit(1)
        _ = try bench.write(.delete(StoreWorkbench.id(1), at: StoreWorkbench.date(500)))
        #expect(try timeout() == before)
    }
}
