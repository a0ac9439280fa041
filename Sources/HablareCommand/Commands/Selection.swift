import ArgumentParser
import Foundation
import Hablare

/// Reads the ids of all requests that a filter lets through, page by page.
struct Selection: Sendable {
    private static let page = 1_000

    let store: any StoreReading
    var phases: Set<RequestPhase>?
    var isHeld: Bool?
    var job: String?

    /// Does something for each, many at once, because each waits for the disk.
    ///
    /// - Returns: For how many `body` was true.
    func count(where body: @escaping @Sendable (UUID) async throws -> Bool) async throws -> Int {
        let count = Guarded(0)
        var filter = SnapshotFilter(
            phases: phases, isHeld: isHeld, job: job.map(JobKey.init(rawValue:)), limit: Self.page)
        // All ids first: the body takes requests out of the filter's sight.
        var ids: [UUID] = []
        while true {
            let page = try store.snapshots(filter)
            ids += page.map(\.id)
            guard page.count == Self.page, let last = page.last else { break }
            filter.continues(after: last)
        }
        try await forEachConcurrently(ids, limit: 256) { id in
            if try await body(id) { count.withLock { $0 += 1 } }
        }
        return count.withLock { $0 }
    }
}
