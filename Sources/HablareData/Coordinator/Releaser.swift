import Foundation
import GRDB
import Hablare
import Logging

/// Tells the engine which responses are in the app's data, so that it need not keep them any longer.
///
/// The receipts say what it was not told yet, so a crash between merge and telling is made up for when a coordinator runs
/// next. Runs behind the merges, many in one commit. Responses of which another merge is promised are told of later.
final class Releaser: Sendable {
    private struct State: Sendable {
        var wanted: Set<UUID> = []
        /// Look at all receipts that are not marked, not only at what was merged just now.
        var isCatchingUp = false
        var isRunning = false
        var task: Task<Void, Never>?
    }

    /// How many are told in one commit.
    private static let batch = 512

    private let manager: AIRequestManager
    private let database: any DatabaseReader
    private let writer: GroupWriter
    private let spawner: TaskSpawner
    private let logger: Logger
    private let state = Guarded(State())

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

    /// These were merged, or are promised no more.
    func wanted(_ requests: some Sequence<UUID> & Sendable) {
        start { $0.wanted.formUnion(requests) }
    }

    /// What an earlier process merged and did not tell.
    func catchUp() {
        start { $0.isCatchingUp = true }
    }

    /// Waits until everything is told that was to tell, or could not be.
    func settled() async {
        await state.withLock { $0.task }?.value
    }

    private func start(_ note: @Sendable (inout State) -> Void) {
        state.withLock { state in
            note(&state)
            guard !state.isRunning else { return }
            state.isRunning = true
            state.task = spawner.start { [weak self] in
                while let (requests, all) = self?.next() { await self?.tell(requests, all: all) }
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

    /// A failure is no loss: the receipts know, and the next start tries again.
    @concurrent private func tell(_ requests: [UUID], all: Bool) async {
        do {
            var rest = requests[...]
            while !rest.isEmpty, !Task.isCancelled {
                try await tell(Array(rest.prefix(Self.batch)))
                rest = rest.dropFirst(Self.batch)
            }
            var last: UUID?
            while all, !Task.isCancelled {
                let page = try await database.readAside(spawner.executor) { [last] in
                    try ReceiptBook.unreleased(after: last, limit: Self.batch, in: $0)
                }
                guard let end = page.last else { return }
                last = end
                try await tell(page)
            }
        } catch is CancellationError {
            return
        } catch {
            logger.warning(
                "Merged responses are kept for longer than they need be",
                metadata: ["cause": "\(MergeError.logged(error))"])
        }
    }

    private func tell(_ requests: [UUID]) async throws {
        let settled = try await database.readAside(spawner.executor) { try ReceiptBook.unpromised(requests, in: $0) }
        // A request that this engine's store does not know may be another store's: it stays unmarked.
        let known = try await manager.merged(settled)
        guard !known.isEmpty else { return }
        try await writer.write { try ReceiptBook.released(known, in: $0) }
    }
}
