import Foundation
import GRDB
import Hablare
import HablareSupport
import Logging

/// The part of a coordinator that tells the engine which responses were merged, so that the engine no longer keeps
/// them.
///
/// Each receipt records whether its merge was reported to the engine. If the process crashes between a merge and its
/// report, the next coordinator reports the merge. The releaser works after the merges and reports many responses in
/// one commit. If a response has another promised merge, it is reported only after that merge.
final class Releaser: Sendable {
    private struct State: Sendable {
        var wanted: Set<UUID> = []
        /// Whether to check all unreported receipts, not only those of the latest merges.
        var isCatchingUp = false
        var isRunning = false
        var task: Task<Void, Never>?
    }

    /// The number of responses reported in one commit.
    private static let batch = 512

    private let manager: AIRequestManager
    private let database: any DatabaseReader
    private let writer: GroupWriter
    private let spawner: TaskSpawner
    private let logger: Logger
    private let state = Locked(State())

    init(
        manager: AIRequestManager, database: any DatabaseReader, writer: GroupWriter, spawner: TaskSpawner,
        logger: Logger
    ) {
        self.manager = manager
        self.database = database
        self.writer = writer
        self.spawner = spawner
        self.logger = logger
    }

    deinit {
        state.withLock { $0.task }?.cancel()
    }

    /// Schedules a report for requests that were merged or whose promises were withdrawn.
    func wanted(_ requests: some Sequence<UUID> & Sendable) {
        start { $0.wanted.formUnion(requests) }
    }

    /// Schedules a report of the merges that an earlier process did not report.
    func catchUp() {
        start { $0.isCatchingUp = true }
    }

    /// Waits until every pending report was sent or has failed.
    func settled() async {
        await state.withLock { $0.task }?.value
    }

    private func start(_ note: @Sendable (inout State) -> Void) {
        state.withLock { state in
            note(&state)
            guard !state.isRunning else { return }
            state.isRunning = true
            state.task = spawner.start { [weak self] in
                while let (requests, all) = self?.next() { await self?.release(requests, all: all) }
            }
        }
    }

    private func next() -> ([UUID], all: Bool)? {
        state.withLock { state in
            guard !state.wanted.isEmpty || state.isCatchingUp else {
                state.isRunning = false
                return nil
            }
            defer {
                state.wanted = []
                state.isCatchingUp = false
            }
            return (state.wanted.sorted(), state.isCatchingUp)
        }
    }

    /// Reports responses to the engine. If the report fails, the receipts are not marked as reported, and the next
    /// start of the coordinator reports them again.
    @concurrent private func release(_ requests: [UUID], all: Bool) async {
        do {
            var remainder = requests[...]
            while !remainder.isEmpty, !Task.isCancelled {
                try await release(Array(remainder.prefix(Self.batch)))
                remainder = remainder.dropFirst(Self.batch)
            }
            var last: UUID?
            while all, !Task.isCancelled {
                let page = try await database.readAside(spawner.executor) { [last] in
                    try ReceiptBook.unreleased(after: last, limit: Self.batch, in: $0)
                }
                guard let end = page.last else { return }
                last = end
                try await release(page)
            }
        } catch is CancellationError {
            return
        } catch {
            logger.warning(
                "The engine could not be told that responses were merged, so it keeps them. The next start reports them again",
                metadata: ["cause": "\(MergeError.logged(error))"])
        }
    }

    private func release(_ requests: [UUID]) async throws {
        let settled = try await database.readAside(spawner.executor) { try ReceiptBook.unpromised(requests, in: $0) }
        // A request that this engine's store does not know may belong to another store, so it stays unmarked.
        let known = try await manager.merged(settled)
        guard !known.isEmpty else { return }
        try await writer.write { try ReceiptBook.released(known, in: $0) }
    }
}
