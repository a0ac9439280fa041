public import Foundation
import GRDB
public import Hablare
import Logging
public import ServiceLifecycle

extension AIDataCoordinator: Service {
    /// Waits for the responses of all promised merges, and merges each when it arrives. This includes promises of
    /// earlier runs of the app. Runs until graceful shutdown or cancellation. Promises that remain are on disk, and
    /// continue with the next run.
    ///
    /// Responses only arrive if an engine runs on the same store (``/Hablare/EngineService``).
    ///
    /// - Throws: ``/Hablare/AIServiceError`` with code `invalidState` if the coordinator runs already; ``MergeError``
    ///   if the promises cannot be read.
    @concurrent public nonisolated func run() async throws {
        do {
            try await cancelWhenGracefulShutdown { [promises] in try await promises.run() }
        } catch is CancellationError {
            return
        } catch let error as AIServiceError {
            throw error
        } catch {
            throw MergeError.recorded(error, ofPromises: ())
        }
    }

    /// Submits a request, and promises to merge its response when it arrives, even after crashes.
    ///
    /// The promise is on disk before the request is, and the engine keeps the response until it is merged. A request
    /// that fails or is cancelled keeps its promise, in case it is retried. Cancelling the calling task undoes nothing:
    /// cancel the request instead.
    ///
    /// A response that was merged before is neither requested nor promised again. If the request was submitted before
    /// without ``/Hablare/AIRequest/keepUntilMerged``, the store's retention policy may evict the response first.
    ///
    /// - Parameters:
    ///   - request: The request. This method sets ``/Hablare/AIRequest/keepUntilMerged``.
    ///   - provider: The provider of the answer. Default: ``Options/provider``.
    ///   - target: The name of a registered target.
    ///   - row: The row's primary key, or ``MergeRow/new``.
    /// - Returns: The request's UUID.
    /// - Throws: ``MergeError`` with ``MergeError/Code/unknownTarget`` or ``MergeError/Code/ambiguousTarget``, or if
    ///   the promise cannot be written; the ``/Hablare/AIServiceError`` of submitting. In each case nothing is
    ///   promised.
    @discardableResult
    @concurrent public nonisolated func submit(
        _ request: AIRequest, to provider: ProviderID? = nil, mergingInto target: String, row: MergeRow
    ) async throws -> UUID {
        let provider = try self.provider(provider)
        let key = MergeKey(requestID: request.id, target: target, row: row)
        var kept = request
        kept.keepUntilMerged = true
        if try await isKnown(request.id) {
            // The known request's content may differ. The promise is made only if submitting shows that it is the same.
            try await manager.submit(kept, to: provider)
            if case .merged = try await promise(key) { return request.id }
        } else {
            let promised = try await promise(key)
            if case .merged = promised { return request.id }
            do {
                try await manager.submit(kept, to: provider)
            } catch {
                await takeBack(key, promised)
                throw error
            }
            // Another caller made the same promise, and may have withdrawn it since.
            if promised == .before { _ = try await promise(key) }
        }
        promises.promised(request.id)
        return request.id
    }

    private nonisolated func isKnown(_ id: UUID) async throws -> Bool {
        do {
            _ = try await manager.status(for: id)
            return true
        } catch let error as AIServiceError where error.code == .unknownRequest {
            return false
        }
    }

    /// Withdraws the promise of a request that was not submitted. It does so only if this call made the promise and no
    /// other caller has submitted the request. If that fails, the promise stays and is harmless, because the request is
    /// unknown.
    private nonisolated func takeBack(_ key: MergeKey, _ promised: ReceiptBook.Promised) async {
        guard promised == .now else { return }
        do {
            guard try await !isKnown(key.requestID) else { return }
            _ = try await merger.writer.write { try ReceiptBook.forget(key, in: $0) }
        } catch {
            logger.warning("A promise could not be taken back", metadata: ["cause": "\(MergeError.logged(error))"])
        }
    }

    /// Promises to merge the response of a submitted request when it arrives, even after a restart.
    ///
    /// Repeating a promise has no effect. If the response exists already, it is merged as soon as the coordinator runs.
    /// The engine keeps a response until it is merged only if the request has ``/Hablare/AIRequest/keepUntilMerged``.
    /// Otherwise the store's retention policy may evict it first.
    ///
    /// - Parameters:
    ///   - requestID: The request's id.
    ///   - target: The name of a registered target.
    ///   - row: The row's primary key, or ``MergeRow/new``.
    /// - Returns: The date of an earlier merge, in which case nothing is promised; otherwise `nil`.
    /// - Throws: ``MergeError``; ``/Hablare/AIServiceError`` with code `unknownRequest` or of category storage. In each
    ///   case nothing is promised.
    @discardableResult
    @concurrent public nonisolated func promiseMerge(
        requestID: UUID, into target: String, row: MergeRow
    ) async throws -> Date? {
        _ = try await manager.status(for: requestID)
        let promised = try await promise(MergeKey(requestID: requestID, target: target, row: row))
        if case .merged(let date) = promised { return date }
        promises.promised(requestID)
        return nil
    }

    /// Submits a request, waits for its response, and merges it into a registered target. This is durable from
    /// submission to merge: if the process dies or the task is cancelled, the next run of a coordinator merges the
    /// response.
    ///
    /// - Parameters:
    ///   - request: The request. This method sets ``/Hablare/AIRequest/keepUntilMerged``.
    ///   - provider: The provider of the answer. Default: ``Options/provider``.
    ///   - target: The name of a registered target.
    ///   - row: The row's primary key, or ``MergeRow/new``.
    /// - Returns: The merged response.
    /// - Throws: The errors of ``submit(_:to:mergingInto:row:)``; the error of a request that failed or was cancelled;
    ///   ``MergeError`` if the merge failed, which stays promised.
    @discardableResult
    @concurrent public nonisolated func generate(
        _ request: AIRequest, from provider: ProviderID? = nil, mergingInto target: String, row: MergeRow
    ) async throws -> AIResponseData {
        let id = try await submit(request, to: provider, mergingInto: target, row: row)
        let response = try await manager.execute(requestID: id)
        _ = try await one([MergeAsk(response: response, target: try promises.target(target).get(), row: row)])
        return response
    }

    /// Returns the promised merges that are not done yet, oldest requests first. Damaged rows are omitted and logged.
    ///
    /// - Throws: ``MergeError`` if the promises cannot be read.
    @concurrent public nonisolated func pendingMerges() async throws -> [MergePromise] {
        do {
            return try await promises.readAll()
        } catch {
            throw MergeError.recorded(error, ofPromises: ())
        }
    }

    /// Withdraws a promise. On return, the promise either was fulfilled before or will never be fulfilled, even if its
    /// merge had begun. Withdrawing a fulfilled or unknown promise has no effect. Merges without a promise, and those
    /// that a ``generate(_:from:mergingInto:row:)`` waits for, still happen.
    ///
    /// If no other merge of the request is promised, the engine no longer needs to keep the response.
    ///
    /// - Throws: ``MergeError`` if the withdrawal cannot be written. Then the promise holds.
    @concurrent public nonisolated func forgetMerge(requestID: UUID, into target: String, row: MergeRow) async throws {
        do {
            let key = MergeKey(requestID: requestID, target: target, row: row)
            _ = try await merger.writer.write { try ReceiptBook.forget(key, in: $0) }
            merger.releaser.wanted([requestID])
        } catch {
            throw MergeError.forCaller(error, of: requestID, asked: .promises)
        }
    }

    private nonisolated func promise(_ key: MergeKey) async throws -> ReceiptBook.Promised {
        if case .failure(let error) = promises.target(key.target) { throw error.of(key.requestID) }
        let date = seams.date()
        do {
            return try await merger.writer.write { try ReceiptBook.promise(key, at: date, in: $0) }
        } catch {
            throw MergeError.forCaller(error, of: key.requestID, asked: .promise)
        }
    }
}
