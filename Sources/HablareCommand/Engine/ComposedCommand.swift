import ArgumentParser
import Foundation
import Hablare
import HablareSupport

/// A subcommand that runs in a composition and returns the exit status.
protocol ComposedCommand: ParsableCommand {
    func run(in composition: Composition) async throws -> CommandStatus
}

extension ComposedCommand {
    /// Returns a manager whose engine does not run. The manager records commands such as cancel in the store. The
    /// process that runs the request reads them there.
    func manager(of opened: OpenedStore, in composition: Composition, verbose: Bool) throws -> AIRequestManager {
        AIRequestManager(
            store: opened.store, providers: try ProviderRegistry([]), seams: composition.seams,
            logger: composition.logger(verbose: verbose))
    }
}

struct Selection: Sendable {
    private static let page = 1_000

    let store: any StoreReading
    var phases: Set<RequestPhase>?
    var isHeld: Bool?
    var job: String?

    /// Calls `body` for each request and returns how many calls returned `true`. Many calls run at the same time,
    /// because each call waits for the disk.
    func count(where body: @escaping @Sendable (UUID) async throws -> Bool) async throws -> Int {
        let count = Locked(0)
        let filter = SnapshotFilter(
            phases: phases, isHeld: isHeld, job: job.map(JobKey.init(rawValue:)), limit: Self.page)
        // Read all ids first: `body` may change requests so that they no longer match the filter.
        var ids: [UUID] = []
        try store.forEachPage(filter) { ids += $0.map(\.id) }
        try await forEachConcurrently(ids, limit: 256) { id in
            do {
                if try await body(id) { count.withLock { $0 += 1 } }
            } catch let error as AIServiceError where error.code == .unknownRequest || error.code == .invalidState {
                // Another process changed the request first.
            }
        }
        return count.withLock { $0 }
    }
}

extension StoreReading {
    /// Reads all requests that match a filter, page by page, because they may not fit into memory. The filter's limit
    /// is the size of a page.
    func forEachPage(_ filter: SnapshotFilter, _ body: ([RequestSnapshot]) throws -> Void) throws {
        var filter = filter
        while true {
            let page = try snapshots(filter)
            try body(page)
            guard page.count == filter.limit, let last = page.last else { return }
            filter.continues(after: last)
        }
    }
}

extension AIRequestManager {
    /// Reads all requests that match a filter, page by page. Each request has the reason for which it waits in this
    /// process.
    func forEachPage(_ filter: SnapshotFilter, _ body: ([RequestSnapshot]) async throws -> Void) async throws {
        var filter = filter
        while true {
            let page = try await snapshots(filter)
            try await body(page)
            guard page.count == filter.limit, let last = page.last else { return }
            filter.continues(after: last)
        }
    }
}
