import Foundation
import HablareStores
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare

/// Prompts that are large enough for content files, which other processes may collect.
@Suite(.timeLimit(.minutes(5)))
struct PromptContentTests {
    /// A store in which another process collects the prompt files of the next submissions before they are committed.
    private final class CollectingStore: ForwardingStore {
        let base: any RequestStore = InMemoryStore()
        let prompts = TestContent()
        private let collections: Locked<Int>

        init(collections: Int) {
            self.collections = Locked(collections)
        }

        var content: (any ContentStore)? { prompts }

        func commit(_ writes: [StoreWrite]) throws -> StoreCommit {
            var kept: [StoreWrite] = []
            let missing = writes.map { write -> ContentReference? in
                guard case .submit(let submission) = write, let reference = submission.promptContent,
                    collections.withLock({ left in
                        defer { left -= 1 }
                        return left > 0
                    })
                else {
                    kept.append(write)
                    return nil
                }
                return reference
            }
            var commit = try base.commit(kept)
            var receipts = commit.receipts.makeIterator()
            commit.receipts = missing.compactMap { $0.map(WriteReceipt.contentMissing) ?? receipts.next() }
            return commit
        }
    }

    @Test("A prompt whose file was collected before the commit is stored again")
    func storedAgain() async throws {
        let store = CollectingStore(collections: 2)
        let engine = try Engine(store: store)
        let id = try await engine.manager.submit(AIRequest(prompt: "collected"), to: "scripted")
        #expect(store.prompts.begun == 3)
        #expect(try await engine.manager.status(for: id) == .pending)
    }

    @Test("A job's prompts whose files were collected are stored again, and each request keeps its place")
    func job() async throws {
        let store = CollectingStore(collections: 3)
        let engine = try Engine(store: store)
        let requests = (0..<4).map { AIRequest(prompt: .text("part \($0)")) }
        let ids = try await engine.manager.submit(requests, to: "scripted", jobKey: JobKey(rawValue: "book"))
        #expect(ids == requests.map(\.id))
        let snapshots = try requests.map { try engine.store.snapshot(of: $0.id) }
        #expect(snapshots.map { $0?.phase } == Array(repeating: .pending, count: 4))
        #expect(store.prompts.begun == 7)
    }

    @Test("A prompt whose file is collected again and again is refused and leaves nothing behind")
    func refused() async throws {
        let store = CollectingStore(collections: 99)
        let engine = try Engine(store: store)
        let request = AIRequest(prompt: "never there")
        await #expect { try await engine.manager.submit(request, to: "scripted") } throws: { error in
            (error as? AIServiceError)?.code == .contentMissing
        }
        #expect(store.prompts.begun == 3)
        #expect(try engine.store.snapshot(of: request.id) == nil)
    }
}
