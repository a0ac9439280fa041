import Foundation
import HablareTestKit
import Testing

@testable import Hablare

/// Runs the drain when the test says so.
final class ManualDriver: CommitDriver {
    private struct State: Sendable {
        var drain: (@Sendable () -> Void)?
        var signals = 0
        var stops = 0
    }

    private let state = Guarded(State())
    var signals: Int { state.withLock { $0.signals } }
    var stops: Int { state.withLock { $0.stops } }

    func start(_ drain: @escaping @Sendable () -> Void) { state.withLock { $0.drain = drain } }
    func signal() { state.withLock { $0.signals += 1 } }
    func stop() { state.withLock { $0.stops += 1 } }
    func drain() { state.withLock { $0.drain }?() }
}

/// Remembers what it was told to do, and fails or miscounts as told.
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
    }

    private let inner = InMemoryStore()
    var base: any RequestStore { inner }
    private let state = Guarded(State())
    var events: [Event] { state.withLock { $0.events } }
    func failCommit(_ number: Int, with error: AIServiceError) { state.withLock { $0.failures[number] = error } }
    func dropReceipts() { state.withLock { $0.dropsReceipts = true } }

    func commit(_ writes: [StoreWrite]) throws -> [WriteReceipt] {
        let (failure, drops) = state.withLock { state in
            let number = state.events.count { if case .commit = $0 { true } else { false } }
            state.events.append(.commit(writes.count))
            return (state.failures[number], state.dropsReceipts)
        }
        if let failure { throw failure }
        let receipts = inner.commit(writes)
        return drops ? Array(receipts.dropLast()) : receipts
    }

    func claim(_ query: ClaimQuery) -> Claim {
        state.withLock { $0.events.append(.claim) }
        return inner.claim(query)
    }

    func hasForeignCommits() -> Bool {
        state.withLock { $0.events.append(.foreign) }
        return true
    }
}

@Suite(.timeLimit(.minutes(5)))
struct JournalTests {
    private let store = RecordingStore()
    private let driver = ManualDriver()

    private func submit(_ number: Int) throws -> StoreWrite { .submit(try StoreWorkbench.submission(number)) }

    /// Hands entries over one after another, so that their order is known, and drains once all wait.
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

    @Test("What waits goes into one commit, in the order it came, and everybody gets his own receipts")
    func groupCommit() async throws {
        let journal = Journal(store: store, driver: driver)
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

    @Test("The driver is signalled when something begins to wait, and only then")
    func signals() async throws {
        let journal = Journal(store: store, driver: driver)
        _ = try await together(journal, [commit(journal, [try submit(1)]), commit(journal, [try submit(2)])])
        #expect(driver.signals == 1)
        _ = try await together(journal, [commit(journal, [try submit(3)])])
        #expect(driver.signals == 2)
        driver.drain()
        #expect(store.events.count == 2, "nothing waits, nothing is committed")
    }

    @Test("A claim sees what was handed over before it, and not what came after")
    func claims() async throws {
        let journal = Journal(store: store, driver: driver)
        let claim: @Sendable () async -> String = {
            do {
                let query = ClaimQuery(
                    owner: OwnerID(rawValue: 1), provider: "p", scope: .everything, limit: 9,
                    now: StoreWorkbench.date(0))
                return try await "claimed \(journal.claim(query).flights.count)"
            } catch {
                return "\(error)"
            }
        }
        let answers = try await together(
            journal, [commit(journal, [try submit(1)]), claim, commit(journal, [try submit(2)]), claim])
        #expect(answers == ["1", "claimed 1", "2", "claimed 1"])
        #expect(store.events == [.commit(1), .claim, .commit(1), .claim])
    }

    @Test("A failed commit fails all who waited for it, and nobody else")
    func failure() async throws {
        let journal = Journal(store: store, driver: driver)
        store.failCommit(0, with: AIServiceError(.storageFull, "Full."))
        let foreign: @Sendable () async -> String = {
            do { return try await "\(journal.hasForeignCommits())" } catch { return "\(error)" }
        }
        let answers = try await together(
            journal,
            [
                commit(journal, [try submit(1)]), commit(journal, [try submit(2)]), foreign,
                commit(journal, [try submit(3)]),
            ])
        #expect(answers == ["storage-full", "storage-full", "true", "1"])
        #expect(store.events == [.commit(2), .foreign, .commit(1)])
    }

    @Test("A store that miscounts its receipts fails the commit instead of mixing them up")
    func miscount() async throws {
        let journal = Journal(store: store, driver: driver)
        store.dropReceipts()
        let answers = try await together(journal, [commit(journal, [try submit(1)]), commit(journal, [try submit(2)])])
        #expect(answers == ["storage-failed", "storage-failed"])
    }

    @Test("A commit has no more than so many writes, but those of one call stay together")
    func batches() async throws {
        let journal = Journal(store: store, driver: driver)
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

    @Test("An empty call is answered")
    func empty() async throws {
        let journal = Journal(store: store, driver: driver)
        #expect(try await together(journal, [commit(journal, [])]) == [""])
    }

    @Test("The driver is stopped when the journal goes away")
    func stops() {
        var journal: Journal? = Journal(store: store, driver: driver)
        #expect(journal?.waiting == 0)
        journal = nil
        #expect(driver.stops == 1)
    }

    @Test("The thread driver commits what hundreds of callers hand over, each once")
    func thread() async throws {
        let store = self.store
        let journal = Journal(store: store, driver: ThreadCommitDriver())
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
