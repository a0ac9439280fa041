public import Foundation
import GRDB
public import Hablare
import Logging
public import ServiceLifecycle

extension AIDataCoordinator: Service {
    /// Waits for the responses of all promised merges, and merges each response when it arrives. A promise is a stored
    /// order to merge a response. Promises of earlier runs of the app are included.
    ///
    /// Runs until graceful shutdown or cancellation. Promises that are not fulfilled then stay on disk, and the next
    /// run continues with them. Responses arrive only if an engine runs on the same store (``/Hablare/EngineService``).
    ///
    /// - Throws: ``/Hablare/AIServiceError`` with code `invalidState` if the coordinator is already running.
    ///   ``MergeError`` if the promises cannot be read.
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

    /// Submits a request, and promises to merge its response when it arrives. The promise is a stored order that
    /// survives crashes.
    ///
    /// The promise is on disk before the request is submitted, and the engine keeps the response until it is merged. If
    /// the request fails or is cancelled, the promise stays, because the request may be retried. If the calling task is
    /// cancelled, the promise and the request stay. To stop the work, cancel the request.
    ///
    /// If the response was already merged, the method submits nothing and promises nothing. If the request was
    /// submitted before without ``/Hablare/AIRequest/keepUntilMerged``, the store's retention policy may evict the
    /// response before it is merged.
    ///
    /// - Parameters:
    ///   - request: The request. This method sets ``/Hablare/AIRequest/keepUntilMerged``.
    ///   - provider: The provider of the answer. Default: ``Options/provider``.
    ///   - target: The name of a registered target.
    ///   - row: The row's primary key, or ``MergeRow/new``.
    /// - Returns: The request's UUID.
    /// - Throws: ``MergeError`` with ``MergeError/Code/unknownTarget`` or ``MergeError/Code/ambiguousTarget``, or if
    ///   the promise cannot be written. The ``/Hablare/AIServiceError`` of the submission. In each case nothing is
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

    /// Withdraws the promise of a request that could not be submitted. The promise is withdrawn only if this call made
    /// it and no other caller has submitted the request.
    ///
    /// If the withdrawal fails, the promise stays. It is harmless, because the request is unknown.
    private nonisolated func takeBack(_ key: MergeKey, _ promised: ReceiptBook.Promised) async {
        guard promised == .now else { return }
        do {
            guard try await !isKnown(key.requestID) else { return }
            _ = try await merger.writer.write { try ReceiptBook.forget(key, in: $0) }
        } catch {
            logger.warning(
                "A promise could not be withdrawn. It is harmless, because its request is unknown",
                metadata: ["cause": "\(MergeError.logged(error))"])
        }
    }

    /// Promises to merge the response of a submitted request when the response arrives. The promise is a stored order
    /// that survives restarts.
    ///
    /// If the same promise exists, nothing happens. If the response already exists, it is merged as soon as the
    /// coordinator runs. The engine keeps the response until it is merged only if the request has
    /// ``/Hablare/AIRequest/keepUntilMerged``. Otherwise the store's retention policy may evict the response before it
    /// is merged.
    ///
    /// - Parameters:
    ///   - requestID: The request's id.
    ///   - target: The name of a registered target.
    ///   - row: The row's primary key, or ``MergeRow/new``.
    /// - Returns: The date of the merge if the response was already merged; nothing is then promised. Otherwise `nil`.
    /// - Throws: ``MergeError``. ``/Hablare/AIServiceError`` with code `unknownRequest` or with the category `storage`.
    ///   In each case nothing is promised.
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

    /// Submits a request, waits for its response, and merges the response into a registered target. The merge is
    /// promised: if the process dies or the task is cancelled, the next run of a coordinator merges the response.
    ///
    /// - Parameters:
    ///   - request: The request. This method sets ``/Hablare/AIRequest/keepUntilMerged``.
    ///   - provider: The provider of the answer. Default: ``Options/provider``.
    ///   - target: The name of a registered target.
    ///   - row: The row's primary key, or ``MergeRow/new``.
    /// - Returns: The merged response.
    /// - Throws: The errors of ``submit(_:to:mergingInto:row:)``. The error of a request that failed or was cancelled.
    ///   ``MergeError`` if the merge failed. A failed merge stays promised.
    @discardableResult
    @concurrent public nonisolated func generate(
        _ request: AIRequest, from provider: ProviderID? = nil, mergingInto target: String, row: MergeRow
    ) async throws -> AIResponseData {
        let id = try await submit(request, to: provider, mergingInto: target, row: row)
        let response = try await manager.execute(requestID: id)
        _ = try await one([MergeAsk(response: response, target: try promises.target(target).get(), row: row)])
        return response
    }

    /// Returns the promised merges that are not done yet, with the oldest requests first. Damaged rows are left out and
    /// logged.
    ///
    /// - Throws: ``MergeError`` if the promises cannot be read.
    @concurrent public nonisolated func pendingMerges() async throws -> [MergePromise] {
        do {
            return try await promises.readAll()
        } catch {
            throw MergeError.recorded(error, ofPromises: ())
        }
    }

    /// Withdraws a promise. When the method returns, the merge is either already done or will not be done, even if it
    /// has already begun. If the promise is unknown or fulfilled, nothing happens.
    ///
    /// The method does not stop merges without a promise. It also does not stop a merge for which a call of
    /// ``generate(_:from:mergingInto:row:)`` waits. If no other merge of the request is promised, the engine no longer
    /// keeps the response for a merge.
    ///
    /// - Throws: ``MergeError`` if the withdrawal cannot be written. The promise then stays.
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
