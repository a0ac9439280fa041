import Foundation
import HablareStores
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare

/// Drains the journal when the test calls it.
final class ManualDriver: CommitDriver {
    private struct State: Sendable {
        var drain: (@Sendable () -> Void)?
        var signals = 0
        var stops = 0
    }

    private let state = Locked(State())
    var signals: Int { state.withLock { $0.signals } }
    var stops: Int { state.withLock { $0.stops } }

    func start(_ drain: @escaping @Sendable () -> Void) { state.withLock { $0.drain = drain } }
    func signal() { state.withLock { $0.signals += 1 } }
    func stop() { state.withLock { $0.stops += 1 } }
    func drain() { state.withLock { $0.drain }?() }
}

/// Records its calls, and fails or drops receipts on demand.
final class RecordingStore: ForwardingStore {
    enum Event: Sendable, Equatable {
        case commit(Int)
        case claim
        case foreign
    }

    private struct State: Sendable {
        var events: [Event] = []
        var failures: [Int: AIServiceError] = [:]
        var dropsReceipts = false
        var hasGap = false
        var failingReads = 0
    }

    /// Makes the store report once that it missed commits of other processes.
    fileprivate func loseNews() { state.withLock { $0.hasGap = true } }
    fileprivate func failReads(_ count: Int) { state.withLock { $0.failingReads = count } }

    func snapshots(_ filter: SnapshotFilter) throws -> [RequestSnapshot] {
        let fails = state.withLock { state in
            defer { state.failingReads = max(0, state.failingReads - 1) }
            return state.failingReads > 0
        }
        if fails { throw AIServiceError(.storageBusy, "Busy.") }
        return inner.snapshots(filter)
    }

    private let inner = InMemoryStore()
    var base: any RequestStore { inner }
    private let state = Locked(State())
    var events: [Event] { state.withLock { $0.events } }
    func failCommit(_ number: Int, with error: AIServiceError) { state.withLock { $0.failures[number] = error } }
    func dropReceipts() { state.withLock { $0.dropsReceipts = true } }

    func commit(_ writes: [StoreWrite]) throws -> StoreCommit {
        let (failure, drops) = state.withLock { state in
            let number = state.events.count { if case .commit = $0 { true } else { false } }
            state.events.append(.commit(writes.count))
            return (state.failures[number], state.dropsReceipts)
        }
        if let failure { throw failure }
        var commit = inner.commit(writes)
        if drops { commit.receipts.removeLast() }
        return commit
    }

    func claim(_ query: ClaimQuery) -> Claim {
        state.withLock { $0.events.append(.claim) }
        return inner.claim(query)
    }

    func foreignChanges(where isOfInterest: (ChangedRow) -> Bool) -> ForeignChanges {
        state.withLock { state in
            state.events.append(.foreign)
            defer { state.hasGap = false }
            return state.hasGap ? .unknown : ForeignChanges(mayWait: state.failingReads == 0)
        }
    }
}

/// Records its events and leases submissions for an owner, if it has one.
final class RecordingListener: CommitListener {
    private let events = Locked<[String]>([])
    private let owner: OwnerID?

    init(owner: OwnerID? = nil) { self.owner = owner }

    var received: [String] { events.withLock { $0 } }

    private func note(_ event: String) { events.withLock { $0.append(event) } }

    func willCommit(_ writes: inout [StoreWrite]) {
        note("will:\(writes.count)")
        guard let owner else { return }
        for index in writes.indices {
            guard case .submit(var submission) = writes[index] else { continue }
            submission.flight = FlightLifecycle(state: .leased(owner), token: 1, attempt: 0, generation: 0)
            writes[index] = .submit(submission)
        }
    }

    func committed(_ commit: StoreCommit, of writes: [StoreWrite]) { note("committed:\(writes.count)") }
    func commitFailed(_ writes: [StoreWrite], with error: any Error) { note("failed:\(writes.count)") }
    func isOfInterest(_ row: ChangedRow) -> Bool { true }
    var rowsOfInterest: [ChangedRow] { [.request(StoreWorkbench.id(1))] }
    func received(_ news: ForeignChanges) { note(news.isComplete ? "news" : "all news") }
}

/// Runs each job on a thread that a test can recognise.
private final class ReadThread: TaskExecutor {
    static var isCurrent: Bool { Thread.current.threadDictionary["isForReads"] != nil }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        let thread = Thread {
            Thread.current.threadDictionary["isForReads"] = true
            job.runSynchronously(on: executor)
        }
        thread.start()
    }
}

/// A store whose reads run on an executor.
private struct ThreadedStore: ForwardingStore {
    let base: any RequestStore = InMemoryStore()
    let executor: ReadThread
    var readExecutor: (any TaskExecutor)? { executor }
}

@Suite(.timeLimit(.minutes(5)))
struct JournalTests {
    private let store = RecordingStore()
    private let driver = ManualDriver()

    private func startedJournal(notifying listener: (any CommitListener)? = nil) -> Journal {
        let journal = Journal(store: store, driver: driver)
        journal.start(notifying: listener)
        return journal
    }

    private func submit(_ number: Int) throws -> StoreWrite { .submit(try StoreWorkbench.submission(number)) }

    /// Returns an entry that reads other processes' commits and answers with the text of `say`.
    private func notice(
        _ journal: Journal, then say: @escaping @Sendable () -> String
    ) -> @Sendable () async -> String {
        {
            do {
                try await journal.readForeignChanges()
                return say()
            } catch {
                return (error as? AIServiceError)?.code.rawValue ?? "\(error)"
            }
        }
    }

    /// Submits entries one after another, so that their order is known, and drains when all are waiting.
    private func together(
        _ journal: Journal, _ entries: [@Sendable () async -> String]
    ) async throws -> [String] {
        try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for (index, entry) in entries.enumerated() {
                group.addTask { (index, await entry()) }
                try await waitUntil { journal.waiting >= index + 1 }
            }
            driver.drain()
            var answers = Array(repeating: "", count: entries.count)
            for try await (index, answer) in group { answers[index] = answer }
            return answers
        }
    }

    private func commit(_ journal: Journal, _ writes: [StoreWrite]) -> @Sendable () async -> String {
        {
            do {
                return try await journal.commit(writes).map { receipt in
                    if case .submitted(let stored) = receipt { "\(stored.flight.rawValue)" } else { "\(receipt)" }
                }.joined(separator: ",")
            } catch {
                return "\((error as? AIServiceError)?.code.rawValue ?? "\(error)")"
            }
        }
    }

    @Test("Waiting entries share one commit in order, and each caller gets its own receipts")
    func groupCommit() async throws {
        let journal = startedJournal()
        let answers = try await together(
            journal,
            [
                commit(journal, [try submit(1)]), commit(journal, [try submit(2), try submit(3)]),
                commit(journal, [.cancel(StoreWorkbench.id(77), at: StoreWorkbench.date(0))]),
                commit(journal, [try submit(4)]),
            ])
        #expect(answers == ["1", "2,3", "unknownRequest", "4"])
        #expect(store.events == [.commit(5)])
    }

    @Test("The driver is signalled once, when the first entry starts to wait")
    func signals() async throws {
        let journal = startedJournal()
        _ = try await together(journal, [commit(journal, [try submit(1)]), commit(journal, [try submit(2)])])
        #expect(driver.signals == 1)
        _ = try await together(journal, [commit(journal, [try submit(3)])])
        #expect(driver.signals == 2)
        driver.drain()
        #expect(store.events.count == 2, "nothing waits, nothing is committed")
    }

    @Test("A claim sees the writes submitted before it and none submitted after it")
    func claims() async throws {
        let journal = startedJournal()
        let claim: @Sendable () async -> String = {
            do {
                let query = ClaimQuery(
                    owner: OwnerID(rawValue: 1), provider: "p", scope: .everything, limit: 9,
                    now: StoreWorkbench.date(0))
                let claim = try await withCheckedThrowingContinuation { continuation in
                    journal.claim(query) { continuation.resume(with: $0) }
                }
                return "claimed \(claim.flights.count)"
            } catch {
                return "\(error)"
            }
        }
        let answers = try await together(
            journal, [commit(journal, [try submit(1)]), claim, commit(journal, [try submit(2)]), claim])
        #expect(answers == ["1", "claimed 1", "2", "claimed 1"])
        #expect(store.events == [.commit(1), .claim, .commit(1), .claim])
    }

    @Test("A failed commit fails exactly the callers that waited for it")
    func failure() async throws {
        let journal = startedJournal()
        store.failCommit(0, with: AIServiceError(.storageFull, "Full."))
        let answers = try await together(
            journal,
            [
                commit(journal, [try submit(1)]), commit(journal, [try submit(2)]),
                notice(journal) { "noticed" },
                commit(journal, [try submit(3)]),
            ])
        #expect(answers == ["storage-full", "storage-full", "noticed", "1"])
        #expect(store.events == [.commit(2), .foreign, .commit(1)])
    }

    @Test("The listener receives each commit in order, before any of its callers resumes")
    func listener() async throws {
        let listener = RecordingListener()
        let journal = startedJournal(notifying: listener)
        store.failCommit(1, with: AIServiceError(.storageFull, "Full."))
        let claim: @Sendable () async -> String = {
            do {
                let query = ClaimQuery(
                    owner: OwnerID(rawValue: 1), provider: "p", scope: .everything, limit: 9,
                    now: StoreWorkbench.date(0))
                let claim = try await withCheckedThrowingContinuation { continuation in
                    journal.claim(query) { continuation.resume(with: $0) }
                }
                return "claimed \(claim.flights.count)"
            } catch {
                return "\(error)"
            }
        }
        let noticed = notice(journal) { listener.received.joined(separator: " ") }
        let first: @Sendable () async -> String = { [first = commit(journal, [try submit(1)])] in
            _ = await first()
            return listener.received.prefix(2).joined(separator: " ")
        }
        let answers = try await together(
            journal, [first, claim, commit(journal, [try submit(2)]), noticed, commit(journal, [try submit(3)])])
        #expect(answers[0] == "will:1 committed:1", "a caller resumes after the listener has heard")
        #expect(answers[2] == "storage-full")
        #expect(
            listener.received == ["will:1", "committed:1", "will:1", "failed:1", "news", "will:1", "committed:1"])
    }

    @Test("The state of rows is told between the commits before and after, and not at all where it cannot be read")
    func state() async throws {
        let listener = RecordingListener()
        let journal = startedJournal(notifying: listener)
        let state: @Sendable () async -> String = {
            do {
                try await journal.tellState(of: [.request(StoreWorkbench.id(1))])
                return "told"
            } catch {
                return (error as? AIServiceError)?.code.rawValue ?? "\(error)"
            }
        }
        let commits = [commit(journal, [try submit(1)]), commit(journal, [try submit(2)])]
        #expect(try await together(journal, [commits[0], state, commits[1]]) == ["1", "told", "2"])
        #expect(listener.received == ["will:1", "committed:1", "news", "will:1", "committed:1"])
        store.failReads(1)
        #expect(try await together(journal, [state, commit(journal, [try submit(3)])]) == ["storage-busy", "3"])
        #expect(listener.received.dropFirst(5) == ["will:1", "committed:1"])
    }

    @Test("After missed news the journal reads all rows, and retries the read if it fails")
    func newsAfterGap() async throws {
        let listener = RecordingListener()
        let journal = startedJournal(notifying: listener)
        store.loseNews()
        store.failReads(2)  // also when the round ends
        let notice = notice(journal) { listener.received.joined(separator: " ") }
        #expect(try await together(journal, [notice]) == ["storage-busy"])
        #expect(listener.received.isEmpty)
        #expect(try await together(journal, [notice]) == ["all news"])
        #expect(try await together(journal, [notice]) == ["all news news"])
    }

    @Test("After a commit of unknown outcome the journal reads all watched rows before it writes again")
    func uncertainCommit() async throws {
        let listener = RecordingListener()
        let journal = startedJournal(notifying: listener)
        store.failCommit(0, with: AIServiceError(.storageUncertain, "The connection was lost."))
        #expect(try await together(journal, [commit(journal, [try submit(1)])]) == ["storage-uncertain"])
        #expect(listener.received == ["will:1", "failed:1", "all news"], "at once, where that is possible")
        store.failCommit(1, with: AIServiceError(.storageUncertain, "The connection was lost."))
        store.failReads(2)
        #expect(try await together(journal, [commit(journal, [try submit(2)])]) == ["storage-uncertain"])
        #expect(try await together(journal, [commit(journal, [try submit(3)])]) == ["storage-busy"])
        #expect(listener.received.dropFirst(3) == ["will:1", "failed:1", "all news"], "and nothing was written before")
        _ = try await together(journal, [commit(journal, [try submit(4)])])
        #expect(listener.received.dropFirst(6) == ["will:1", "committed:1"], "once")
    }

    @Test("Reads run on the store's own executor if it has one")
    func readThreads() async throws {
        let journal = Journal(store: ThreadedStore(executor: ReadThread()), driver: driver)
        #expect(try await journal.read { _ in ReadThread.isCurrent })
        #expect(try await !startedJournal().read { _ in ReadThread.isCurrent })
    }

    @Test("The listener can change how submissions are written")
    func placing() async throws {
        let listener = RecordingListener(owner: OwnerID(rawValue: 7))
        let journal = startedJournal(notifying: listener)
        _ = try await together(journal, [commit(journal, [try submit(1)])])
        let flight = FlightID(rawValue: 1)
        #expect(try store.flights([flight])[flight]?.state == .leased(OwnerID(rawValue: 7)))
    }

    @Test("A wrong number of receipts fails the commit")
    func miscount() async throws {
        let journal = startedJournal()
        store.dropReceipts()
        let answers = try await together(journal, [commit(journal, [try submit(1)]), commit(journal, [try submit(2)])])
        #expect(answers == ["storage-failed", "storage-failed"])
    }

    @Test("A commit has a maximum number of writes, and the writes of one call stay together")
    func batches() async throws {
        let journal = startedJournal()
        let cancel = StoreWrite.cancel(StoreWorkbench.id(1), at: StoreWorkbench.date(0))
        let most = Journal.maximumBatch
        _ = try await together(
            journal,
            [
                commit(journal, Array(repeating: cancel, count: most - 1)), commit(journal, [cancel]),
                commit(journal, [cancel]), commit(journal, Array(repeating: cancel, count: most + 5)),
                commit(journal, [cancel]),
            ])
        #expect(store.events == [.commit(most), .commit(1), .commit(most + 5), .commit(1)])
    }

    @Test("A commit call without writes is answered")
    func empty() async throws {
        let journal = startedJournal()
        #expect(try await together(journal, [commit(journal, [])]) == [""])
    }

    @Test("The driver stops when the journal is released")
    func stops() {
        var journal: Journal? = startedJournal()
        #expect(journal?.waiting == 0)
        journal = nil
        #expect(driver.stops == 1)
    }

    @Test("The thread driver commits the writes of hundreds of callers exactly once")
    func thread() async throws {
        let store = self.store
        let journal = Journal(store: store, driver: ThreadCommitDriver())
        journal.start()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                let write = try submit(number)
                group.addTask {
                    guard case .submitted(let receipt) = try await journal.commit(write) else {
                        Issue.record("It was not submitted")
                        return
                    }
                    #expect(receipt.id == StoreWorkbench.id(number))
                }
            }
            try await group.waitForAll()
        }
        let written = store.events.reduce(0) { if case .commit(let count) = $1 { $0 + count } else { $0 } }
        #expect(written == 500)
    }
}
