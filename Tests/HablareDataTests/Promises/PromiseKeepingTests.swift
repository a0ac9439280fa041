import Foundation
import GRDB
import Hablare
import HablareStores
import HablareSupport
import HablareTestKit
import Testing

@testable import HablareData

/// Events during the fulfilment of promises: a promise is withdrawn, the keeper ends, a response cannot be read.
@Suite("Promises during their fulfilment", .timeLimit(.minutes(2)))
struct PromiseKeepingTests {
    /// A store in which some responses cannot be read.
    private struct DamagedStore: ForwardingStore {
        let base: any RequestStore = InMemoryStore()
        let unreadable = Locked<Set<UUID>>([])

        func response(of id: UUID) throws -> AIResponseData? {
            if unreadable.withLock({ $0.contains(id) }) { throw AIServiceError(.storageFailed, "A bad block.") }
            return try base.response(of: id)
        }
    }

    /// A counter of a database's commits.
    private final class Commits: TransactionObserver, Sendable {
        let count = Locked(0)

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ db: Database) { count.withLock { $0 += 1 } }
        func databaseDidRollback(_ db: Database) {}
    }

    /// Returns requests with responses, whose promised merges are not done.
    private func promised(_ count: Int, in bench: DataWorkbench) async throws -> [UUID] {
        try await bench.running {
            var ids: [UUID] = []
            for number in 0..<count {
                let request = AIRequest(prompt: .text("\(number)"))
                ids.append(try await bench.coordinator.submit(request, mergingInto: "note", row: .new))
                _ = try await bench.manager.execute(requestID: request.id)
            }
            return ids
        }
    }

    @Test("A merge is not done if its promise is withdrawn while it waits for memory")
    func forgottenMeanwhile() async throws {
        let bench = try await DataWorkbench()
        let coordinator = bench.coordinator
        let events = coordinator.merges
        try await bench.runningBoth {
            let id = try await coordinator.merger.holding(coordinator.merger.maximumBytes) {
                let id = try await coordinator.submit(
                    AIRequest(prompt: "Summary"), mergingInto: "article.summary", row: 1)
                // The merge is announced: the keeper has read the promise, and waits for memory.
                for await _ in events { break }
                try await coordinator.forgetMerge(requestID: id, into: "article.summary", row: 1)
                return id
            }
            var ending: MergeEvent?
            for await event in events {
                ending = event
                break
            }
            let key = MergeKey(requestID: id, target: "article.summary", row: 1)
            #expect(ending == .mergeFailed(key, .forgotten(id)))
            try await bench.soon { try await bench.manager.snapshot(for: id).awaitsMerge == false }
        }
        #expect(try await bench.article().summary == nil)
        #expect(try await bench.receipts() == 0)
        #expect(try await coordinator.pendingMerges().isEmpty)
    }

    @Test("A direct merge is done, even if its promise is withdrawn")
    func asked() async throws {
        let bench = try await DataWorkbench()
        let id = try #require(try await promised(1, in: bench).first)
        let response = try #require(try await bench.manager.response(for: id))
        try await bench.coordinator.forgetMerge(requestID: id, into: "note", row: .new)
        #expect(await bench.coordinator.promises.merge([id]) == [id: .kept])
        #expect(try await bench.receipts() == 0)
        #expect(try await bench.coordinator.merge(response, into: DataWorkbench.targets[2], row: .new) == .merged)
    }

    @Test("A keeper that ends leaves the remaining promises unchanged")
    func ended() async throws {
        let bench = try await DataWorkbench()
        let coordinator = bench.coordinator
        let ids = try await promised(100, in: bench)
        let events = coordinator.merges
        let merged = try await coordinator.merger.holding(coordinator.merger.maximumBytes) {
            await withTaskGroup(of: [UUID: PromiseBoard.Merging].self) { group in
                group.addTask { await coordinator.promises.merge(ids) }
                for await _ in events { break }
                group.cancelAll()
                return await group.next()
            }
        }
        #expect(merged == Dictionary(uniqueKeysWithValues: ids.map { ($0, .retryable) }))
        #expect(try await coordinator.pendingMerges().map(\.failure) == Array(repeating: nil, count: 100))
        try await coordinator.merge(response("last"), into: DataWorkbench.targets[2], row: .new)
        var announced = 0
        for await event in events {
            if case .willMerge = event { announced += 1 }
            if case .didMerge = event { break }
        }
        // The last merge, and nothing after the first batch.
        #expect(announced == 1)
    }

    @Test("An unreadable response does not prevent the other merges")
    func unreadable() async throws {
        let store = DamagedStore()
        let bench = try await DataWorkbench(store: store)
        let ids = try await promised(3, in: bench)
        store.unreadable.withLock { $0 = [ids[1]] }
        let merged = await bench.coordinator.promises.merge(ids)
        #expect(merged == [ids[0]: .kept, ids[1]: .retryable, ids[2]: .kept])
        #expect(try await bench.coordinator.pendingMerges().map(\.key.requestID) == [ids[1]])
    }

    @Test("The failures of a batch are recorded in one commit")
    func notes() async throws {
        let store = InMemoryStore()
        let first = try await DataWorkbench(store: store)
        let ids = try await promised(3, in: first)
        let second = try await DataWorkbench(store: store, database: first.database, targets: [])
        let commits = Commits()
        first.database.add(transactionObserver: commits)
        let merged = await second.coordinator.promises.merge(ids)
        #expect(merged == Dictionary(uniqueKeysWithValues: ids.map { ($0, .stuck) }))
        #expect(commits.count.withLock { $0 } == 1)
        #expect(try await second.coordinator.pendingMerges().allSatisfy { $0.failure != nil })
    }
}
