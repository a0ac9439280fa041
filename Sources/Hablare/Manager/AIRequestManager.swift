public import Foundation
public import Logging

/// The front door of the engine: submit slow work, watch it, wait for it, cancel it, ask about it.
///
/// Whatever it acknowledges is on disk. A façade: it decides nothing and holds no state but its parts, so it is a
/// `Sendable` class and not an actor, and calls from many tasks do not queue up behind each other.
///
/// Work is executed while an ``EngineService`` runs; without one, requests are accepted and wait. Make one manager per
/// store and process, at the composition root.
public final class AIRequestManager: Sendable {
    let store: any RequestStore
    let registry: ProviderRegistry
    let configuration: EngineConfiguration
    let seams: EngineSeams
    let logger: Logger
    let journal: Journal
    let hub = StatusHub()
    let dispatcher: Dispatcher

    /// Creates a manager and its parts. Starts the journal's thread, nothing else.
    ///
    /// - Parameters:
    ///   - store: Where requests live.
    ///   - providers: Who does the work.
    ///   - configuration: How the engine behaves.
    ///   - seams: Time, identity and threads; the system's unless replaced.
    ///   - logger: Where the engine logs. Never prompts, responses or credentials.
    public init(
        store: any RequestStore,
        providers: ProviderRegistry,
        configuration: EngineConfiguration = EngineConfiguration(),
        seams: EngineSeams = EngineSeams(),
        logger: Logger = Logger(label: "hablare")
    ) {
        self.store = store
        self.registry = providers
        self.configuration = configuration
        self.seams = seams
        self.logger = logger
        let journal = Journal(store: store, driver: seams.makeCommitDriver())
        let runner = AttemptRunner(
            journal: journal, content: store.content, registry: providers, hub: hub, date: seams.date,
            attemptTimeout: configuration.attemptTimeout, logger: logger)
        self.journal = journal
        dispatcher = Dispatcher(
            runner: runner, journal: journal, hub: hub, registry: providers, configuration: configuration,
            seams: seams, logger: logger)
    }

    // MARK: Submitting

    /// Puts a request on disk for a registered provider. On return it is durable and will be executed.
    ///
    /// Submitting the same UUID with the same content again is harmless. Cancelling the calling task does not take the
    /// submission back.
    ///
    /// - Returns: The request's UUID.
    /// - Throws: ``AIServiceError``: `providerNotFound`, `invalidRequest`, `conflict`, or of category storage; nothing
    ///   was stored then.
    @discardableResult
    public func submit(_ request: AIRequest, to provider: ProviderID) async throws -> UUID {
        let receipt = try await submit([try draft(request, provider)], job: nil)
        return receipt.first ?? request.id
    }

    /// Puts a request on disk for a provider, which must be the registered one of its id: a request outlives the
    /// process, and only registered providers are there after a restart.
    ///
    /// - Throws: as ``submit(_:to:)``.
    @discardableResult
    public func submit(request: AIRequest, provider: any AIServiceProvider) async throws -> UUID {
        guard registry[provider.id]?.instance == provider.instance else {
            throw AIServiceError.providerNotFound(provider.id, known: registry.ids)
        }
        return try await submit(request, to: provider.id)
    }

    /// Puts a batch on disk as one job, in order. Its requests run side by side, as far as the provider allows.
    ///
    /// Submitting the same batch under the same key again finds the requests that are there, whatever became of them,
    /// and adds the missing ones: this is how an interrupted job goes on. Responses of a job are kept until the job is
    /// removed.
    ///
    /// - Parameters:
    ///   - batch: The requests. Their UUIDs are used for those that are new.
    ///   - provider: The provider of all of them.
    ///   - jobKey: Names the job: a hash of its input and of every option that changes its outcome.
    ///   - position: The place of the batch's first request in the job, so that a very long job can be submitted piece
    ///     by piece, without all of it in memory. Default 0.
    /// - Returns: The UUIDs of the job's requests, in the order of the batch.
    /// - Throws: as ``submit(_:to:)``; `conflict` also when a place of the job holds other content. What was stored
    ///   before the error stays, and is found when the job is submitted again.
    public func submit(
        _ batch: [AIRequest], to provider: ProviderID, jobKey: JobKey, startingAt position: Int = 0
    ) async throws -> [UUID] {
        guard position >= 0 else {
            throw AIServiceError(.invalidRequest, "A place in a job is not negative. Count from 0.")
        }
        guard !jobKey.rawValue.isEmpty, jobKey.rawValue.utf8.count <= 256 else {
            throw AIServiceError(.invalidRequest, "A job key has between 1 and 256 bytes. Use a hash of the job's input.")
        }
        return try await store(try batch.map { try draft($0, provider) }, job: jobKey, from: position).map(\.id)
    }

    /// Makes a new request with the prompt and parameters of a completed one, for another answer.
    ///
    /// - Returns: The new request's UUID; its snapshot says ``RequestSnapshot/supersedes``.
    /// - Throws: ``AIServiceError``: `unknownRequest`; `invalidState` unless the request is completed.
    @discardableResult
    public func regenerate(_ id: UUID) async throws -> UUID {
        guard let stored = try await reading({ try $0.request(of: id) }) else { throw AIServiceError.unknown(id) }
        let snapshot = try await snapshot(for: id)
        guard snapshot.phase == .completed else {
            throw AIServiceError.notAllowed("regenerated", id, in: snapshot.phase)
        }
        let old = stored.request
        let request = AIRequest(
            id: seams.makeID(), prompt: old.prompt, model: old.model, parameters: old.parameters, sample: old.sample,
            tenant: old.tenant, priority: old.priority, attemptTimeout: old.attemptTimeout, metadata: old.metadata)
        var new = try draft(request, stored.provider)
        new.supersedes = id
        return try await submit([new], job: nil).first ?? request.id
    }

    // MARK: Waiting

    /// Submits a request and waits for its outcome.
    ///
    /// Cancelling the calling task ends the wait, not the request: that is what ``cancelRequest(_:)`` is for.
    ///
    /// - Throws: as ``submit(_:to:)`` and ``execute(requestID:)``.
    public func execute(_ request: AIRequest, with provider: ProviderID) async throws -> AIResponseData {
        let draft = try draft(request, provider)
        let waiter = hub.expectOutcome(of: request.id)
        defer { hub.forget(waiter, of: request.id) }
        let wasPresent = try await store([draft], job: nil).first?.wasPresent ?? true
        if wasPresent { return try await execute(requestID: request.id) }
        return try await waiter.value().response(of: request.id)
    }

    /// Waits for the outcome of a request that was submitted, by whomever and whenever.
    ///
    /// A request that is final is answered at once; its provider is not called again, also when the response is no
    /// longer kept. Cancelling the calling task ends the wait with `CancellationError`, not the request.
    ///
    /// - Returns: The response of the completed request.
    /// - Throws: The ``AIServiceError`` of a failed request; code `cancelled` if the request was cancelled;
    ///   `responseExpired`; `unknownRequest`; `suspended` when the engine shuts down first; category storage when its
    ///   outcome could not be recorded.
    public func execute(requestID: UUID) async throws -> AIResponseData {
        let response = try await outcome(of: requestID).response(of: requestID)
        if case .failure(let error) = response.result { throw error }
        return response
    }

    /// Waits until a request is final and returns its status; never throws the error of a failed request.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, `suspended`, or of category storage; `CancellationError`.
    public func outcome(of id: UUID) async throws -> RequestStatus {
        let waiter = hub.expectOutcome(of: id)
        defer { hub.forget(waiter, of: id) }
        let now = try await status(for: id)
        return now.isFinal ? now : try await waiter.value()
    }

    /// The statuses of a request, from the present one to the final one, then the end.
    ///
    /// A slow reader gets the newest status instead of all of them, and always the final one. Ends when the reading
    /// task is cancelled; throws ``AIServiceError/Code/suspended`` when the engine shuts down first.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, or of category storage.
    public func statusUpdates(for id: UUID) async throws -> AsyncThrowingStream<RequestStatus, any Error> {
        let (number, statuses) = hub.stream(of: id)
        hub.begin(number, of: id, with: try await status(for: id))
        return statuses
    }

    // MARK: Asking

    /// The present status.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, or of category storage.
    public func status(for id: UUID) async throws -> RequestStatus {
        let found = try await reading { store -> (RequestSnapshot, AIResponseData?)? in
            guard let snapshot = try store.snapshot(of: id) else { return nil }
            return (snapshot, snapshot.phase == .completed ? try store.response(of: id) : nil)
        }
        guard let (snapshot, response) = found else { throw AIServiceError.unknown(id) }
        switch snapshot.phase {
        case .pending: return .pending
        case .executing: return .executing(progress: hub.progress(of: id))
        case .completed:
            return .completed(kept(response, isPinned: snapshot.job != nil) ?? .expired(id, snapshot, seams.date()))
        case .failed: return .failed(snapshot.error ?? AIServiceError(.providerFailed, "The reason is not recorded."))
        case .cancelled: return .cancelled
        }
    }

    /// What is known of a request, its content left aside.
    ///
    /// - Throws: as ``status(for:)``.
    public func snapshot(for id: UUID) async throws -> RequestSnapshot {
        guard var snapshot = try await reading({ try $0.snapshot(of: id) }) else { throw AIServiceError.unknown(id) }
        if case .unclaimed = snapshot.waiting, registry[snapshot.providerID] == nil { snapshot.waiting = .noProvider }
        return snapshot
    }

    /// A page of what is known of many requests.
    ///
    /// - Throws: ``AIServiceError`` of category storage.
    public func snapshots(_ filter: SnapshotFilter = SnapshotFilter()) async throws -> [RequestSnapshot] {
        try await reading { try $0.snapshots(filter) }
    }

    /// The response of a completed request; `nil` when it is not completed. The result of one that is no longer kept
    /// is a failure of code `responseExpired`.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, or of category storage.
    public func response(for id: UUID) async throws -> AIResponseData? {
        guard case .completed(let response) = try await status(for: id) else { return nil }
        return response
    }

    /// The attempts at a request that ended, oldest first.
    ///
    /// - Throws: as ``status(for:)``.
    public func attempts(for id: UUID) async throws -> [AttemptRecord] {
        guard try await reading({ try $0.snapshot(of: id) }) != nil else { throw AIServiceError.unknown(id) }
        return try await reading { try $0.attempts(of: id) }
    }

    /// Counts over the store. Reads every row: for people, not for loops.
    ///
    /// - Throws: ``AIServiceError`` of category storage.
    public func statistics() async throws -> StoreStatistics {
        try await reading { try $0.statistics() }
    }

    // MARK: Ending

    /// What came of a cancellation.
    public enum CancelOutcome: Sendable, Hashable {
        /// The request is cancelled. No attempt will be sent any more, and the outcome of one under way is refused.
        case cancelled
        /// The request was final before, and stays what it is.
        case alreadyFinal(RequestStatus)
    }

    /// Cancels a request, whether it waits or runs, here or in another process.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, or of category storage; the request goes on then.
    @discardableResult
    public func cancelRequest(_ id: UUID) async throws -> CancelOutcome {
        switch try await journal.commit(.cancel(id, at: seams.date())) {
        case .cancelled(let flight):
            await dispatcher.cancelled(flight)
            hub.announce(.cancelled, of: id)
            return .cancelled
        case .invalidState:
            return .alreadyFinal(try await status(for: id))
        case let receipt:
            throw AIServiceError.unexpected(receipt, for: id)
        }
    }

    /// Cancels every live request, or every live one of a job.
    ///
    /// - Returns: How many were cancelled.
    /// - Throws: ``AIServiceError`` of category storage; those that were cancelled before stay so.
    @discardableResult
    public func cancelAll(job: JobKey? = nil) async throws -> Int {
        var cancelled = 0
        var after: UUID?
        while true {
            let filter = SnapshotFilter(phases: [.pending, .executing], job: job, limit: 500, after: after)
            let page = try await snapshots(filter)
            guard let last = page.last else { return cancelled }
            let receipts = try await journal.commit(page.map { .cancel($0.id, at: seams.date()) })
            for (snapshot, receipt) in zip(page, receipts) {
                guard case .cancelled(let flight) = receipt else { continue }
                await dispatcher.cancelled(flight)
                hub.announce(.cancelled, of: snapshot.id)
                cancelled += 1
            }
            after = last.id
        }
    }

    /// Tries a failed or cancelled request again, under the same UUID, as a recorded new attempt.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`; `invalidState` when the request is live or completed; or of
    ///   category storage.
    public func retry(_ id: UUID) async throws {
        switch try await journal.commit(.retry(id, at: seams.date())) {
        case .done:
            hub.announce(.pending, of: id)
            await dispatcher.backlogMayExist()
        case .invalidState(let state):
            throw AIServiceError.notAllowed("retried", id, in: RequestPhase(state, FlightLifecycle()))
        case let receipt:
            throw AIServiceError.unexpected(receipt, for: id)
        }
    }

    /// Gives up a response's content and keeps the rest: that it was made, when, by whom, at what cost.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`; `invalidState` unless completed; or of category storage.
    public func evict(_ id: UUID) async throws {
        switch try await journal.commit(.evict(id)) {
        case .done: return
        case .invalidState(let state):
            throw AIServiceError.notAllowed("evicted", id, in: RequestPhase(state, FlightLifecycle()))
        case let receipt: throw AIServiceError.unexpected(receipt, for: id)
        }
    }

    /// Erases a request, its prompt and its content. A live one is cancelled first. Its attempts stay in the ledger.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, or of category storage.
    public func delete(_ id: UUID) async throws {
        switch try await journal.commit(.delete(id, at: seams.date())) {
        case .done: return
        case .cancelled(let flight):
            await dispatcher.cancelled(flight)
            hub.announce(.cancelled, of: id)
        case let receipt: throw AIServiceError.unexpected(receipt, for: id)
        }
    }
}
