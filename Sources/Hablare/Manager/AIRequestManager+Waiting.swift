public import Foundation

extension AIRequestManager {
    /// Submits a request and waits for its outcome.
    ///
    /// Cancelling the calling task ends the wait, not the request. To cancel the request, use ``cancelRequest(_:)``.
    ///
    /// - Throws: The errors of ``submit(_:to:)`` and ``execute(requestID:)``.
    @concurrent public func execute(_ request: AIRequest, with provider: ProviderID) async throws -> AIResponseData {
        let waiter = engine.expectOutcome(of: request.id)
        defer { engine.forget(waiter, of: request.id) }
        let receipt = try await observer.submitting(request, to: provider) {
            try await store(try submission(of: request, to: provider))
        }
        if receipt.wasPresent || receipt.isAnswered { return try await execute(requestID: request.id) }
        return try await waiter.value().response(of: request.id)
    }

    /// Waits for the outcome of a submitted request. The request may have been submitted by any process at any time.
    ///
    /// If the request is final, the method returns at once. The method does not call the provider, even if the response
    /// is no longer kept. If the calling task is cancelled, the wait ends with `CancellationError`, and the request
    /// continues.
    ///
    /// - Returns: The response of the completed request.
    /// - Throws: The ``AIServiceError`` of a failed request. Code `cancelled` if the request is cancelled, or if this
    ///   process deletes it during the wait. Code `responseExpired` if the response is no longer kept. The errors of
    ///   ``outcome(of:)``.
    public func execute(requestID: UUID) async throws -> AIResponseData {
        let response = try await outcome(of: requestID).response(of: requestID)
        if case .failure(let error) = response.result { throw error }
        return response
    }

    /// Waits until a request is final and returns its status. Does not throw the error of a failed request. If this
    /// process deletes the request during the wait, the status is ``RequestStatus/cancelled``.
    ///
    /// A held request is not final, so the wait goes on until the request is retried, cancelled or deleted, or until its
    /// deadline passes. ``events()`` reports that a request is held.
    ///
    /// - Throws: ``AIServiceError``. `CancellationError` if the task is cancelled: the wait ends, and the request
    ///   continues.
    ///   - `unknownRequest`: the store does not know the request, or another process deletes it during the wait.
    ///   - `suspended`: the engine shuts down, or is suspended in the background, before the request is final.
    ///   - An error of category storage: the store cannot be read, or the engine cannot record an attempt or its
    ///     outcome. The request continues when the store works again.
    public func outcome(of id: UUID) async throws -> RequestStatus {
        let waiter = engine.expectOutcome(of: id)
        defer { engine.forget(waiter, of: id) }
        let now = try await present(id)
        return now.isFinal ? now : try await waiter.value()
    }

    /// Returns a stream of a request's statuses, from the current status to the final status.
    ///
    /// Reading the stream throws ``AIServiceError``:
    /// - `suspended`: the engine is shut down, or is suspended in the background, before the final status. Also thrown
    ///   if the engine was already shut down or suspended when the stream was created.
    /// - `unknownRequest`: another process deletes the request. If this process deletes the request, the final status
    ///   is ``RequestStatus/cancelled``.
    /// - An error of category storage: the engine cannot record an attempt or its outcome. When the store works again,
    ///   the request continues, and you can watch it again.
    ///
    /// If a reader is slow, it receives only the newest status. Every reader receives the final status. The stream ends
    /// when the reading task is cancelled.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, or an error of category storage.
    public func statusUpdates(for id: UUID) async throws -> AsyncThrowingStream<RequestStatus, any Error> {
        let stream = engine.stream(of: id)
        do {
            return engine.begin(stream, of: id, with: try await present(id))
        } catch {
            engine.endStream(stream.number, of: id)
            throw error
        }
    }

    /// Returns the current status of a watched request, and attaches the request's watchers to the events of its flight
    /// (the shared work of requests that are equal).
    private func present(_ id: UUID) async throws -> RequestStatus {
        let flight = try await journal.read { try $0.snapshots(SnapshotFilter(ids: [id], limit: 1)).first?.flight }
        if let flight { engine.apply { $0.attach(id, to: flight) } }
        // Read after attaching: events from now on are delivered, and earlier ones are in what is read.
        return try await status(for: id)
    }
}

extension AIRequestManager {
    /// The number of requests that have a waiter or a status stream in this process, and are known to be stored.
    package var watchedCount: Int { engine.read { $0.watched.known.count } }
}
