public import Foundation
import GRDB
public import Hablare
import Logging
public import ServiceLifecycle

extension AIDataCoordinator: Service {
    /// Keeps the promises of merges: waits for the responses that are still to come, those of earlier runs of the app
    /// included, and merges each when it is there. Runs until graceful shutdown or cancellation; what is promised and not
    /// merged by then is on disk and goes on when it runs again.
    ///
    /// An engine must run somewhere on the same store for anything to come (``/Hablare/EngineService``).
    ///
    /// - Throws: ``/Hablare/AIServiceError``, code `invalidState`, where it runs already; ``MergeError`` where the promises
    ///   cannot be read.
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

    /// Submits a request whose response is merged when it comes, whenever that is and whatever crashes meanwhile.
    ///
    /// The promise is on disk before the request is, and the engine keeps the response until it is merged. A request that
    /// fails or is cancelled keeps its promise, for the case that it is retried. Cancelling the calling task takes nothing
    /// back: cancel the request. What was merged before is neither submitted nor promised again. Of a request that was
    /// submitted before, without ``/Hablare/AIRequest/keepUntilMerged``, the store's policy may give up the response first.
    ///
    /// - Parameters:
    ///   - request: The request; ``/Hablare/AIRequest/keepUntilMerged`` is set.
    ///   - provider: Who does it. Default: ``Options/provider``.
    ///   - target: The name of a registered target.
    ///   - row: The row's primary key, or ``MergeRow/new``.
    /// - Returns: The request's UUID.
    /// - Throws: ``MergeError`` with ``MergeError/Code/unknownTarget`` or ``MergeError/Code/ambiguousTarget``, or where the
    ///   promise cannot be written; the ``/Hablare/AIServiceError`` of submitting. Nothing is promised then.
    @discardableResult
    @concurrent public nonisolated func submit(
        _ request: AIRequest, to provider: ProviderID? = nil, mergingInto target: String, row: MergeRow
    ) async throws -> UUID {
        let provider = try self.provider(provider)
        let key = MergeKey(requestID: request.id, target: target, row: row)
        var kept = request
        kept.keepUntilMerged = true
        if try await isKnown(request.id) {
            // Its content may be another: it is promised only if it is the same.
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
            // Somebody else promised the same, and may have taken it back since.
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

    /// A request was not submitted: its promise goes, if it was made for it and nobody has submitted it meanwhile. Where that
    /// cannot be, it stays and harms nobody: the request is unknown.
    private nonisolated func takeBack(_ key: MergeKey, _ promised: ReceiptBook.Promised) async {
        guard promised == .now else { return }
        do {
            guard try await !isKnown(key.requestID) else { return }
            _ = try await merger.writer.write { try ReceiptBook.forget(key, in: $0) }
        } catch {
            logger.warning("A promise could not be taken back", metadata: ["cause": "\(MergeError.logged(error))"])
        }
    }

    /// Promises to merge the response of a request that was submitted, when it comes, also after a restart.
    ///
    /// Harmless where that was promised before. Where the response is there already, it is merged as soon as the coordinator
    /// runs. The engine keeps a response until it is merged only where the request said so
    /// (``/Hablare/AIRequest/keepUntilMerged``); of others the store's policy may give it up first.
    ///
    /// - Parameters:
    ///   - requestID: The request.
    ///   - target: The name of a registered target.
    ///   - row: The row's primary key, or ``MergeRow/new``.
    /// - Returns: When it was merged, where it was: nothing is promised then.
    /// - Throws: ``MergeError``; ``/Hablare/AIServiceError``, `unknownRequest` or of category storage. Nothing is promised
    ///   then.
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

    /// Submits a request, waits for its response, and merges it as a registered target says: durable from submission to
    /// merge. Where the process dies or the task is cancelled meanwhile, the merge happens when a coordinator runs.
    ///
    /// - Parameters:
    ///   - request: The request; ``/Hablare/AIRequest/keepUntilMerged`` is set.
    ///   - provider: Who does it. Default: ``Options/provider``.
    ///   - target: The name of a registered target.
    ///   - row: The row's primary key, or ``MergeRow/new``.
    /// - Returns: The response, which is merged.
    /// - Throws: as ``submit(_:to:mergingInto:row:)``; the error of a request that failed or was cancelled; ``MergeError``
    ///   where it could not be merged, which stays promised.
    @discardableResult
    @concurrent public nonisolated func generate(
        _ request: AIRequest, from provider: ProviderID? = nil, mergingInto target: String, row: MergeRow
    ) async throws -> AIResponseData {
        let id = try await submit(request, to: provider, mergingInto: target, row: row)
        let response = try await manager.execute(requestID: id)
        _ = try await one([MergeAsk(response: response, target: try promises.target(target).get(), row: row)])
        return response
    }

    /// What is promised and not merged yet, oldest requests first. Rows that are damaged are left out, and logged.
    ///
    /// - Throws: ``MergeError`` where it cannot be read.
    @concurrent public nonisolated func pendingMerges() async throws -> [MergePromise] {
        do {
            return try await promises.readAll()
        } catch {
            throw MergeError.recorded(error, ofPromises: ())
        }
    }

    /// Takes a promise back: on return it was kept before, or never will be, also where its merge had begun. Harmless where
    /// it was kept, or was none. A merge that somebody asks for without a promise, or waits for with
    /// ``generate(_:from:mergingInto:row:)``, is done all the same.
    ///
    /// Where nothing else is promised of the request, the engine is told that it need not keep the response.
    ///
    /// - Throws: ``MergeError`` where it cannot be written; the promise holds then.
    @concurrent public nonisolated func forgetMerge(requestID: UUID, into target: String, row: MergeRow) async throws {
        do {
            let key = MergeKey(requestID: requestID, target: target, row: row)
            _ = try await merger.writer.write { try ReceiptBook.forget(key, in: $0) }
            merger.releaser.wanted([requestID])
        } catch {
            throw MergeError.told(error, of: requestID, asked: .promises)
        }
    }

    private nonisolated func promise(_ key: MergeKey) async throws -> ReceiptBook.Promised {
        if case .failure(let error) = promises.target(key.target) { throw error.of(key.requestID) }
        let date = seams.date()
        do {
            return try await merger.writer.write { try ReceiptBook.promise(key, at: date, in: $0) }
        } catch {
            throw MergeError.told(error, of: key.requestID, asked: .promise)
        }
    }
}
