import Foundation
import Hablare
import HablareStores
import HablareTestKit
import Testing

/// Cancelling everything while another process deletes some of it.
@Suite(.timeLimit(.minutes(5)))
struct CancellingAllTests {
    /// A store from which another process deletes the last request of each page, right after it was read.
    private final class DeletingStore: ForwardingStore {
        let base: any RequestStore = InMemoryStore()

        func snapshots(_ filter: SnapshotFilter) throws -> [RequestSnapshot] {
            let page = try base.snapshots(filter)
            if let last = page.last { _ = try base.commit([.delete(last.id, at: StoreWorkbench.date(1))]) }
            return page
        }
    }

    @Test("All are cancelled although those at which pages end are deleted meanwhile", arguments: ["j", nil])
    func deletedMeanwhile(job: String?) async throws {
        let store = DeletingStore()
        let engine = try Engine(store: store)
        let count = 1_203
        let submissions = try (0..<count).map { number in
            StoreWrite.submit(
                try StoreWorkbench.submission(number, provider: "scripted", job: "j", position: 3 * number))
        }
        _ = try store.base.commit(submissions)
        let cancelled = try await engine.manager.cancelAll(job: job.map(JobKey.init(rawValue:)))
        let left = try store.base.snapshots(SnapshotFilter(limit: count))
        #expect(left.count == count - 3, "three pages, of 500, 500 and 203")
        #expect(left.allSatisfy { $0.phase == .cancelled })
        #expect(cancelled == left.count)
    }
}
