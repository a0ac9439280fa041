import Foundation
import GRDB
import Hablare
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareSQLite

/// Two stores on one folder, as in two processes.
@Suite struct SecondProcessTests {
    private let sqlite: SQLiteBench
    private let other: SQLiteStore
    private var mine: StoreWorkbench { sqlite.bench }
    private var theirs: StoreWorkbench { StoreWorkbench(store: other) }

    init() throws {
        sqlite = try SQLiteBench(.init(busyTimeout: 0))
        other = try SQLiteStore(directory: sqlite.folder.url)
    }

    @Test("A commit of one process is readable in the other at once, including its content")
    func reads() async throws {
        let owner = try mine.register()
        try mine.submit(1)
        let attempt = try mine.startNext(owner)
        let body = try await sqlite.put("shared content")
        _ = try mine.write(.settle(attempt.completed(.text(body))))
        let response = try #require(try other.response(of: attempt.request))
        #expect(try response.content.body?.read() == Data("shared content".utf8))
        #expect(try other.owners().map(\.id) == [owner])
    }

    @Test("Two processes never get the same flight, owner id or fencing token")
    func claims() throws {
        let one = try mine.register(1)
        let two = try theirs.register(2)
        #expect(one != two)
        for number in 0..<20 { try (number.isMultiple(of: 2) ? mine : theirs).submit(number) }
        var seen: [UUID] = []
        for _ in 0..<5 {
            seen += try mine.claim(one, limit: 2).map(\.request.id)
            seen += try theirs.claim(two, limit: 2).map(\.request.id)
        }
        #expect(seen == (0..<20).map(StoreWorkbench.id))
    }

    @Test("After a takeover the previous owner's outcome is refused")
    func takesOver() throws {
        let one = try mine.register(1)
        let two = try theirs.register(2)
        try mine.submit(1)
        let late = try mine.startNext(one)
        #expect(try theirs.write(.retireOwner(one, at: StoreWorkbench.date(9))) == .broken(flights: 1))
        let newer = try theirs.startNext(two)
        #expect(try mine.write(.settle(late.completed())) == .refused(.staleToken))
        #expect(try theirs.write(.settle(newer.completed())) == .done)
    }

    @Test("After a takeover the new owner resumes from the handle, which the previous one cannot change")
    func continues() throws {
        let one = try mine.register(1)
        let two = try theirs.register(2)
        try mine.submit(1)
        let late = try mine.startNext(one)
        #expect(try mine.remember(Data("work-1".utf8), late) == .done)
        #expect(try theirs.write(.retireOwner(one, at: StoreWorkbench.date(9))) == .broken(flights: 1))
        let claimed = try theirs.claimOne(two)
        #expect(claimed.resumePoint == ResumePoint(handle: Data("work-1".utf8)))
        #expect(try mine.remember(Data("stale".utf8), late) == .refused(.staleToken))
        let newer = try theirs.start(claimed)
        #expect(try theirs.remember(Data("work-2".utf8), newer) == .done)
        #expect(try theirs.write(.settle(newer.completed())) == .done)
    }

    @Test("Two processes share an account's permits, pause and provider health")
    func permits() throws {
        let limit = RateLimit(requestsPerMinute: 60)
        let calls = Array(repeating: 1.0, count: 4)
        #expect(try mine.reserve(calls, of: limit, at: 0).costs.count == 4)
        #expect(try theirs.reserve(calls, of: limit, at: 0).costs.count == 2)
        #expect(try mine.reserve(calls, of: limit, at: 1).costs.count == 1)
        try theirs.report(
            AccountReport(
                account: "a", pausedUntil: StoreWorkbench.date(60), failing: .until(StoreWorkbench.date(90))), at: 2)
        #expect(try mine.reserve(calls, of: limit, at: 59).next == StoreWorkbench.date(60))
        #expect(try sqlite.store.accounts().first?.budget.failingUntil == StoreWorkbench.date(90))
    }

    @Test("A flight postponed or held by one process is visible, claimed and expired in the other")
    func takesOverBackoffs() throws {
        let one = try mine.register(1)
        let two = try theirs.register(2)
        try mine.submit(StoreWorkbench.submission(1, deadline: 100))
        try mine.postponeNext(one, until: 60)
        try mine.submit(StoreWorkbench.submission(2, deadline: 100))
        try mine.holdNext(one)
        #expect(try theirs.ask(two, at: 5).nextDue == StoreWorkbench.date(60))
        #expect(try other.snapshots(SnapshotFilter(isHeld: true)).map(\.id) == [StoreWorkbench.id(2)])
        let claimed = try theirs.claimOne(two, at: 60)
        #expect(claimed.lifecycle.state == .leased(two) && claimed.triedSince == StoreWorkbench.date(1))
        #expect(try mine.claim(one, limit: 9, at: 60).count == 0)
        #expect(try mine.expire(at: 100).expired.map(\.id) == [1, 2].map(StoreWorkbench.id))
        #expect(try theirs.expire(at: 100).expired == [])
    }

    @Test("Only the other process's commits are foreign, and each is reported once")
    func foreign() throws {
        func isForeign(_ store: SQLiteStore) throws -> Bool { try !store.foreignChanges { _ in true }.isEmpty }
        #expect(try !isForeign(sqlite.store), "the opening of another store changes nothing")
        try mine.submit(1)
        #expect(try !isForeign(sqlite.store))
        #expect(try isForeign(other))
        #expect(try !isForeign(other))
        for number in 2...4 { try theirs.submit(number) }
        #expect(try isForeign(sqlite.store))
        #expect(try !isForeign(sqlite.store))
        _ = try other.snapshots(SnapshotFilter())
        #expect(try !isForeign(sqlite.store), "reading is no commit")
    }

    @Test("A store locked by another process reports storageBusy, and works afterwards")
    func busy() throws {
        try other.pool.writeWithoutTransaction { db in
            try db.inTransaction(.immediate) {
                let error = try serviceError { try mine.submit(1) }
                #expect(error.code == .storageBusy)
                #expect(error.isRetryable)
                #expect(try mine.store.snapshots(SnapshotFilter()) == [], "readers do not wait")
                return .rollback
            }
        }
        try mine.submit(1)
    }

    @Test("A commit of any process is signalled", .timeLimit(.minutes(5)))
    func signalled() async throws {
        let signal = try #require(sqlite.store.signal)
        let theirs = self.theirs
        try await withThrowingTaskGroup(of: Void.self) { group in
            // The watch starts some time after the call, so commits continue until one is noticed.
            group.addTask {
                var number = 0
                while !Task.isCancelled {
                    number += 1
                    try theirs.submit(number)
                    await Task.yield()
                }
            }
            // The first signal shows that the watch has started, even without any write.
            for await _ in signal.changes()
            where try !sqlite.store.foreignChanges(where: { _ in true }).isEmpty { break }
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test("A watch ends when its task is cancelled", .timeLimit(.minutes(5)))
    func watchEnds() async throws {
        let signal = try #require(sqlite.store.signal)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in signal.changes() {} }
            group.cancelAll()
            await group.waitForAll()
        }
    }
}
