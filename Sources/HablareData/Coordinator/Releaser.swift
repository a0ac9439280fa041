import Foundation
import GRDB
import Hablare
import Logging

/// Tells the engine which responses are in the app's data, so that it need not keep them any longer.
///
/// The receipts say what it was not told yet, so a crash between merge and telling is made up for. Runs behind the merges,
/// many in one commit.
final class Releaser: Sendable {
    private struct State: Sendable {
        var isWanted = false
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

    /// There is something to tell.
    func wanted() {
        let starts = state.withLock { state in
            state.isWanted = true
            guard !state.isRunning else { return false }
            state.isRunning = true
            return true
        }
        guard starts else { return }
        let task = spawner.start { [weak self] in
            while let self, self.takesMore() { await self.tell() }
        }
        state.withLock { $0.task = task }
    }

    /// Waits until everything is told that was to tell, or could not be.
    func settled() async {
        await state.withLock { $0.task }?.value
    }

    private func takesMore() -> Bool {
        state.withLock { state in
            defer { state.isWanted = false }
            state.isRunning = state.isWanted
            return state.isWanted
        }
    }

    /// A failure is no loss: the receipts know, and the next merge or the next start tries again.
    @concurrent private func tell() async {
        do {
            while !Task.isCancelled {
                let requests = try database.readHere { try ReceiptBook.unreleased(limit: Self.batch, in: $0) }
                guard !requests.isEmpty else { return }
                try await manager.merged(requests)
                try await writer.write { try ReceiptBook.released(requests, in: $0) }
                if requests.count < Self.batch { return }
            }
        } catch is CancellationError {
            return
        } catch {
            logger.warning(
                "Merged responses are kept for longer than they need be", metadata: ["error": "\(type(of: error))"])
        }
    }
}
