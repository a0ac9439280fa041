public import Foundation

extension AIRequestManager {
    /// Submits a request and waits for its outcome.
    ///
    /// Cancelling the calling task ends the wait, not the request: that is what ``cancelRequest(_:)`` is for.
    ///
    /// - Throws: as ``submit(_:to:)`` and ``execute(requestID:)``.
    @concurrent public func execute(_ request: AIRequest, with provider: ProviderID) async throws -> AIResponseData {
        let waiter = engine.expectOutcome(of: request.id)
        defer { engine.forget(waiter, of: request.id) }
        let receipt = try await observer.submitting(request, to: provider) {
            try await store(try submission(of: request, to: provider))
        }
        if receipt.wasPresent || receipt.isAnswered { return try await execute(requestID: request.id) }
        return try await waiter.value().response(of: request.id)
    }

    /// Waits for the outcome of a request that was submitted, by whomever and whenever.
    ///
    /// A request that is final is answered at once; its provider is not called again, also when the response is no
    /// longer kept. Cancelling the calling task ends the wait with `CancellationError`, not the request.
    ///
    /// - Returns: The response of the completed request.
    /// - Throws: The ``AIServiceError`` of a failed request; code `cancelled` when the request was cancelled, or this
    ///   process deletes it meanwhile; `responseExpired`; or as ``outcome(of:)``.
    public func execute(requestID: UUID) async throws -> AIResponseData {
        let response = try await outcome(of: requestID).response(of: requestID)
        if case .failure(let error) = response.result { throw error }
        return response
    }

    /// Waits until a request is final and returns its status; never throws the error of a failed request. That of one
    /// which this process deletes meanwhile is ``RequestStatus/cancelled``.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, also when another process deletes the request meanwhile;
    ///   `suspended` when the engine shuts down, or rests in the background, before the request is final; of category
    ///   storage when the store cannot be read, or when an attempt or its outcome cannot be recorded: the request goes on
    ///   when they can. `CancellationError` when the task is cancelled, which ends the wait, not the request.
    public func outcome(of id: UUID) async throws -> RequestStatus {
        let waiter = engine.expectOutcome(of: id)
        defer { engine.forget(waiter, of: id) }
        let now = try await present(id)
        return now.isFinal ? now : try await waiter.value()
    }

    /// The statuses of a request, from the present one to the final one, then the end.
    ///
    /// A slow reader gets the newest status instead of all of them, and always the final one. Ends when the reading
    /// task is cancelled.
    ///
    /// Reading throws ``AIServiceError``: `suspended` when the engine shuts down, or rests in the background, before the
    /// final status, and where it did so before and was not started or resumed since; `unknownRequest` when another
    /// process deletes the request (where this one does, the final status is ``RequestStatus/cancelled``); of category
    /// storage when an attempt or its outcome cannot be recorded: the request goes on when they can, and may be watched
    /// anew.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, or of category storage.
    public func statusUpdates(for id: UUID) async throws -> AsyncThrowingStream<RequestStatus, any Error> {
        let stream = engine.stream(of: id)
        return engine.begin(stream, of: id, with: try await present(id))
    }

    /// The present status of a request that is watched, and from now on hears of its flight.
    private func present(_ id: UUID) async throws -> RequestStatus {
        let flight = try await journal.read { try $0.snapshots(SnapshotFilter(ids: [id], limit: 1)).first?.flight }
        if let flight { engine.apply { $0.attach(id, to: flight) } }
        // Read after it was attached: what happens from now on is told, what happened before is read.
        return try await status(for: id)
    }
}

extension AIRequestManager {
    /// How many requests are waited for or watched here that are known to be on disk.
    package var watchedCount: Int { engine.read { $0.watched.known.count } }
}
