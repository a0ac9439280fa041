import Foundation
import GRDB
import Hablare
import HablareSupport
import Logging

/// The part of a coordinator that fulfils promises: it waits for the outcomes of requests that have promised merges,
/// and merges the responses in batches.
final class PromiseKeeper: Sendable {
    private enum News: Sendable {
        case promised([UUID])
        case revived(Revival)
        case ended(UUID, PromiseBoard.Ending)
        case waited(UUID)
        case merged([UUID: PromiseBoard.Merging])
    }

    private let manager: AIRequestManager
    private let database: any DatabaseReader
    private let merger: Merger
    private let targets: [String: [MergeTarget]]
    private let seams: EngineSeams
    private let logger: Logger
    /// The inbox while the keeper runs.
    private let inbox = Locked<AsyncStream<News>.Continuation?>(nil)

    init(
        manager: AIRequestManager, database: any DatabaseReader, merger: Merger, targets: [MergeTarget],
        seams: EngineSeams, logger: Logger
    ) {
        self.manager = manager
        self.database = database
        self.merger = merger
        let named = Dictionary(grouping: targets, by: \.name)
        self.targets = named
        for name in named.filter({ $0.value.count > 1 }).keys.sorted() {
            logger.error(
                "Several merge targets have the same name, so promised merges to it cannot be done. Give each target a different name",
                metadata: ["target": "\(name)"])
        }
        self.seams = seams
        self.logger = logger
    }

    /// Reports a new promise. If the keeper is not running, its next run reads the promise from the database.
    func promised(_ id: UUID) {
        _ = inbox.withLock { $0 }?.yield(.promised([id]))
    }

    /// Fulfils promises until the task is cancelled.
    ///
    /// - Throws: `AIServiceError` with code `invalidState` if the keeper is already running. The error of reading the
    ///   promises.
    @concurrent func run() async throws {
        let (news, continuation) = AsyncStream.makeStream(of: News.self)
        let isFirst = inbox.withLock { inbox in
            guard inbox == nil else { return false }
            inbox = continuation
            return true
        }
        guard isFirst else {
            throw AIServiceError(
                .invalidState,
                "This coordinator is already running. Call `run()` only once. Use one coordinator for each database and process."
            )
        }
        defer { inbox.withLock { $0 = nil } }
        merger.releaser.catchUp()
        let revivals = manager.revivals()
        // Read after subscribing to revivals and opening the inbox, so that no promise or revival is missed.
        let promised = try await readAll()
        continuation.yield(
            .promised(Array(Set(promised.map(\.key.requestID))).sorted()))
        await withDiscardingTaskGroup { group in
            group.addTask(executorPreference: seams.taskExecutor) {
                for await revival in revivals { continuation.yield(.revived(revival)) }
            }
            await keep(news, continuation, in: &group)
            group.cancelAll()
        }
        await merger.releaser.settled()
    }

    /// Returns all promises. Unreadable rows are left out and logged.
    func readAll() async throws -> [MergePromise] {
        let promises = try await database.readAside(seams.taskExecutor) { try ReceiptBook.promises(in: $0) }
        if promises.damaged > 0 {
            logger.warning(
                "Some promises of merges cannot be read. They are kept and skipped",
                metadata: ["count": "\(promises.damaged)"])
        }
        return promises.readable
    }

    private func keep(
        _ news: AsyncStream<News>, _ inbox: AsyncStream<News>.Continuation, in group: inout DiscardingTaskGroup
    ) async {
        var board = PromiseBoard()
        // Only the ids, because a thousand responses may arrive at once.
        var arrived: [UUID] = []
        var isMerging = false
        for await news in news {
            var effects: [PromiseBoard.Effect] = []
            switch news {
            case .promised(let ids): for id in ids { effects += board.promised(id) }
            case .revived(.request(let id)): effects = board.revived(id)
            case .revived(.engine): effects = board.engineRevived()
            case .ended(let id, let ending): effects = board.ended(id, ending)
            case .waited(let id): effects = board.waited(id)
            case .merged(let merged):
                isMerging = false
                for id in merged.keys.sorted() {
                    if let merging = merged[id] { effects += board.merged(id, merging) }
                }
            }
            for effect in effects {
                if case .merge(let id) = effect { arrived.append(id) }
                begin(effect, inbox, in: &group)
            }
            if !isMerging, !arrived.isEmpty {
                isMerging = true
                let ids = arrived
                arrived = []
                group.addTask(executorPreference: seams.taskExecutor) {
                    inbox.yield(.merged(await self.merge(ids)))
                }
            }
            merger.meters.waiting(board.count)
        }
    }

    private func begin(
        _ effect: PromiseBoard.Effect, _ inbox: AsyncStream<News>.Continuation, in group: inout DiscardingTaskGroup
    ) {
        switch effect {
        case .merge: break  // merged with all others that arrived meanwhile
        case .watch(let id):
            group.addTask(executorPreference: seams.taskExecutor) {
                guard let ending = await self.outcome(of: id) else { return }
                inbox.yield(.ended(id, ending))
            }
        case .wait(let id, let duration):
            group.addTask(executorPreference: seams.taskExecutor) { [clock = seams.clock] in
                do {
                    try await clock.sleep(for: duration)
                } catch {
                    return  // cancelled: the keeper ends
                }
                inbox.yield(.waited(id))
            }
        }
    }

    /// Waits for an outcome. Returns `nil` if the keeper ends during the wait.
    private func outcome(of id: UUID) async -> PromiseBoard.Ending? {
        do {
            switch try await manager.outcome(of: id) {
            case .completed: return .completed
            case .failed(let error):
                await note("The request failed: \(error.message) Retry the request; its answer is then merged.", of: id)
                return .failed
            case .cancelled:
                await note("The request was cancelled. Retry the request; its answer is then merged.", of: id)
                return .failed
            case .pending, .executing: return .unreadable  // not final: checked again
            }
        } catch is CancellationError {
            return nil
        } catch let error as AIServiceError where error.code == .suspended {
            return .suspended
        } catch let error as AIServiceError where error.code == .unknownRequest {
            await note(
                "The engine's store does not have the request. It was deleted, was never submitted, or is in another store. If it will not be submitted, call `forgetMerge`.",
                of: id)
            return .unknown
        } catch {
            logger.warning(
                "The outcome of a request with a promised merge cannot be read",
                metadata: ["cause": "\(MergeError.logged(error))"])
            return .unreadable
        }
    }

    /// The advice for every promise that cannot be fulfilled until the app or the user changes something.
    static let whatToDo =
        """
         The promise stays. After the correction, promise it again (`promiseMerge`) or restart the coordinator. \
        `forgetMerge` removes the promise.
        """

    /// The number of responses that are read and merged together.
    private static let batch = 64

    /// Merges all promised responses of some requests. If the keeper ends first, the remaining requests count as
    /// retryable, because they have not failed.
    func merge(_ ids: [UUID]) async -> [UUID: PromiseBoard.Merging] {
        var merged: [UUID: PromiseBoard.Merging] = [:]
        var remainder = ids[...]
        while !remainder.isEmpty, !Task.isCancelled {
            merged.merge(await merge(batch: Array(remainder.prefix(Self.batch))), uniquingKeysWith: { _, last in last })
            remainder = remainder.dropFirst(Self.batch)
        }
        for id in remainder { merged[id] = .retryable }
        return merged
    }

    private func merge(batch ids: [UUID]) async -> [UUID: PromiseBoard.Merging] {
        var merged = Dictionary(ids.map { ($0, PromiseBoard.Merging.kept) }, uniquingKeysWith: { first, _ in first })
        let promises: [MergePromise]
        do {
            promises = try await database.readAside(seams.taskExecutor) { database in
                try ids.flatMap { try ReceiptBook.promises(of: $0, in: database).readable }
            }
        } catch {
            return merged.mapValues { _ in .retryable }
        }
        let responses = await responses(of: ids)
        var asks: [MergeAsk] = []
        var notes: [(failure: String, key: MergeKey)] = []
        for promise in promises {
            let id = promise.key.requestID
            guard let response = responses[id] else {
                // The request was retried or deleted in the meantime, or its response cannot be read.
                merged[id] = .retryable
                continue
            }
            switch target(promise.key.target) {
            case .success(let target):
                asks.append(MergeAsk(response: response, target: target, row: promise.key.row, isPromised: true))
            case .failure(let error):
                merged[id] = .stuck
                notes.append((error.message + Self.whatToDo, promise.key))
            }
        }
        for (ask, result) in zip(asks, await merger.merge(asks, inBackground: true)) {
            guard case .failure(let error) = result else { continue }
            let id = ask.response.requestID
            guard !(error is CancellationError) else {
                merged[id] = .retryable
                continue
            }
            let recorded = MergeError.recorded(error, of: id)
            // The promise was withdrawn.
            if recorded.code == .forgotten { continue }
            // If several merges of the request failed and one is retryable, all of them are retried together.
            if merged[id] != .retryable { merged[id] = recorded.isRetryable ? .retryable : .stuck }
            notes.append((recorded.message + (recorded.isRetryable ? "" : Self.whatToDo), ask.key))
        }
        await note(notes)
        return merged
    }

    /// Returns the available responses. An unreadable response does not affect the others.
    private func responses(of ids: [UUID]) async -> [UUID: AIResponseData] {
        var responses: [UUID: AIResponseData] = [:]
        for id in ids {
            do {
                responses[id] = try await manager.response(for: id)
            } catch is CancellationError {
                return responses
            } catch {
                logger.warning(
                    "The response of a request with a promised merge cannot be read",
                    metadata: ["cause": "\(MergeError.logged(error))"])
            }
        }
        return responses
    }

    /// Returns the registered target with a name. Fails unless exactly one target has the name.
    func target(_ name: String) -> Result<MergeTarget, MergeError> {
        guard let found = targets[name] else { return .failure(unknownTarget(name)) }
        guard let target = found.first, found.count == 1 else {
            return .failure(
                MergeError(
                    .ambiguousTarget,
                    "\(found.count) merge targets have the name \(name). Give each target a different name."
                ))
        }
        return .success(target)
    }

    private func unknownTarget(_ name: String) -> MergeError {
        let known = targets.keys.sorted().joined(separator: ", ")
        return MergeError(
            .unknownTarget,
            "No merge target has the name \(name). Pass the target to the coordinator. Its targets: \(known.isEmpty ? "none" : known)."
        )
    }

    private func note(_ failure: String, of id: UUID) async {
        await writing { database in
            for promise in try ReceiptBook.promises(of: id, in: database).readable {
                try ReceiptBook.note(failure, of: promise.key, in: database)
            }
        }
    }

    /// Records several failures in one commit.
    private func note(_ notes: [(failure: String, key: MergeKey)]) async {
        guard !notes.isEmpty else { return }
        await writing { database in
            for note in notes { try ReceiptBook.note(note.failure, of: note.key, in: database) }
        }
    }

    /// Writes information about a promise. If the write fails, the promise still exists, so the failure is only logged.
    private func writing(_ work: @escaping @Sendable (Database) throws -> Void) async {
        do {
            try await merger.writer.write(work)
        } catch {
            logger.warning(
                "The failure of a promised merge could not be recorded",
                metadata: ["cause": "\(MergeError.logged(error))"])
        }
    }
}
