import Foundation
import HablareSupport
import Logging

/// One attempt in flight. It writes its start to the store, calls the provider and records its end.
/// ``AttemptLifecycle`` makes the decisions, and this type carries them out.
///
/// The same object is also the listener of the provider. This saves memory, because there is one object for every call
/// in flight. ``run(_:)`` explains why the memory matters.
final class AttemptTask: CallListener {
    final class Parts: Sendable {
        let journal: Journal
        let content: (any ContentStore)?
        let registry: ProviderRegistry
        let streams: AttemptStream.Seams
        let date: @Sendable () -> Date
        let attemptTimeout: Duration
        let retry: RetryPolicy
        let jitter: @Sendable () -> Double
        let spending: Spending
        let observer: EngineObserver
        let logger: Logger

        init(
            journal: Journal, content: (any ContentStore)?, registry: ProviderRegistry,
            streams: AttemptStream.Seams, configuration: EngineConfiguration, seams: EngineSeams,
            observer: EngineObserver, logger: Logger
        ) {
            self.journal = journal
            self.content = content
            self.registry = registry
            self.streams = streams
            date = seams.date
            attemptTimeout = configuration.attemptTimeout
            retry = configuration.retry
            jitter = seams.jitter
            spending = Spending(budgets: configuration.budgets, costs: CostModel(prices: configuration.prices))
            self.observer = observer
            self.logger = logger
        }

        /// Returns the cost of a call in units of its account's rate limit. Returns 0 if the limit counts no units.
        func cost(of request: AIRequest, for provider: ProviderID) -> Double {
            guard let registered = registry.registration(of: provider), registered.limits.rate?.unitsPerMinute != nil
            else { return 0 }
            let units = registered.provider.units(of: request)
            return units.isFinite ? max(0, units) : 0
        }
    }

    private struct State: Sendable {
        var task: Task<Void, Never>?
        var isCancelled = false
        /// The task that records an end in place of the provider's result, after the attempt was abandoned.
        var standIn: Task<Void, Never>?
        var limits: Box<ReportedLimits>?
    }

    let queued: QueuedFlight
    let parts: Parts
    let stream: AttemptStream
    let timeout: Duration
    let watch: AttemptWatch?
    private let placedAt: Date
    private weak let engine: Engine?
    private let state = Locked(State())

    init(_ flight: QueuedFlight, parts: Parts, engine: Engine) {
        queued = flight
        self.parts = parts
        self.engine = engine
        let registered = parts.registry.registration(of: flight.provider)
        stream = AttemptStream(of: flight, type: registered?.responseType ?? .data, seams: parts.streams)
        timeout = flight.request.attemptTimeout ?? registered?.limits.attemptTimeout ?? parts.attemptTimeout
        watch = parts.observer.watch(flight)
        placedAt = parts.date()
    }

    /// The time for which a streaming provider may still be silent. `nil` if this time has passed.
    var silenceLeft: Duration? { stream.timeLeft(of: timeout) }

    /// Starts the attempt's task and returns it.
    @discardableResult
    func start(isJournalled: Bool, with spawner: TaskSpawner) -> Task<Void, Never> {
        let task = spawner.start { [self] in
            if isJournalled {
                await run(queued)
            } else if let started = await journalled() {
                await run(started)
            }
        }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
        return task
    }

    /// Cancels the provider's task. If the task has not started yet, it is cancelled when it starts. Also runs code of
    /// other modules: the cancellation handlers of the task.
    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    // MARK: The call

    /// Runs the attempt from the sending of the call to the recording of its end.
    ///
    /// While a call waits for its provider, all values that this function still needs stay in memory. With many calls,
    /// they may be most of a process's memory. During the wait, this function therefore keeps only three words: this
    /// object, the flight and a date. The functions that prepare a call and evaluate its reply do not suspend and are
    /// not inlined. A reply is one word (``Box``). A test measures the memory of a call in flight.
    private func run(_ flight: QueuedFlight) async {
        let startedAt = parts.date()
        let reply = if let watch { await send(flight, watchedBy: watch) } else { await send(flight) }
        // Taken now: the answer's age does not depend on how long the recording of a stand-in takes.
        let endedAt = parts.date()
        while true {
            switch ended(flight, startedAt: startedAt, endedAt: endedAt, reply.value) {
            case .record(let end):
                // An answer for a content file is written to the file first, so the task goes on.
                if parts.needsFile(end) { return await record(end) }
                return commit(end)
            case .awaitStandIn(let standIn): await standIn.value
            case .leave: return
            }
        }
    }

    @inline(never)
    private func send(_ flight: QueuedFlight, watchedBy watch: AttemptWatch) async -> Box<Reply> {
        watch.began(flight, type: parts.registry.registration(of: flight.provider)?.responseType ?? .data)
        return await watch.sending { await send(flight) }
    }

    @inline(never)
    private func send(_ flight: QueuedFlight) async -> Box<Reply> {
        let call: Call
        switch prepare(flight) {
        case .leaveUnsent(let reply): return reply
        case .make(let prepared): call = prepared
        }
        switch returned(flight, with: await call.provider.generate(call.value)) {
        case .over(let reply): return reply
        case .yielded(let reply):
            return Box(
                reply.value.with(await stream.end(keepsBody: reply.value.isStreamed), streams: stream.policy != nil))
        }
    }

    private struct Call: Sendable {
        let provider: any AIServiceProvider
        let value: ProviderCall
    }

    private enum Preparation: Sendable {
        case make(Call)
        case leaveUnsent(Box<Reply>)
    }

    @inline(never)
    private func prepare(_ flight: QueuedFlight) -> Preparation {
        if let failure = flight.failure { return .leaveUnsent(Box(.unsent(failure))) }
        guard let provider = parts.registry[flight.provider] else {
            return .leaveUnsent(Box(.unsent(.providerNotFound(flight.provider, known: parts.registry.ids))))
        }
        // A stop that came before the task is known here, even if the task is not cancelled yet.
        guard !Task.isCancelled, !state.withLock(\.isCancelled) else {
            return .leaveUnsent(Box(.unsent(.attemptCancelled)))
        }
        let remaining = flight.request.deadline.map { Duration.between(parts.date(), $0) }
        if let remaining, remaining <= .zero {
            return .leaveUnsent(Box(.unsent(.deadlineExceeded, isOutOfTime: true)))
        }
        stream.sent(as: flight.lifecycle)
        return .make(
            Call(
                provider: provider,
                value: ProviderCall(
                    request: flight.request, attempt: flight.lifecycle.attempt,
                    timeout: min(timeout, remaining ?? timeout), listener: self)))
    }

    /// A reply of the provider. It says whether yielded chunks have not been written to the store yet.
    private enum Return: Sendable {
        case over(Box<Reply>)
        case yielded(Box<Reply>)
    }

    @inline(never)
    private func returned(_ flight: QueuedFlight, with result: Result<ProviderAnswer, AIServiceError>) -> Return {
        var reply = Reply(result: result)
        reply.limits = state.withLock { $0.limits }
        switch result {
        case .success(let answer): reply.answer = answer
        case .failure(let error):
            // Redacted only on failure, because redaction reads the whole prompt.
            reply.result = .failure(FailureRedaction(of: flight.request).redacted(error))
            reply.lostLease = stream.memory.wasRefused
        }
        if stream.hasBegun { engine?.apply { [reply] in $0.returned(flight.key, with: reply) } }
        guard let ending = stream.endedAtOnce(keepsBody: reply.isStreamed) else { return .yielded(Box(reply)) }
        return .over(Box(reply.with(ending, streams: stream.policy != nil)))
    }

    /// The step that follows the provider's return.
    private enum NextStep: Sendable {
        case record(AttemptEnd)
        /// The end that is being recorded in place of the provider's result must be recorded first.
        case awaitStandIn(Task<Void, Never>)
        /// The engine no longer exists.
        case leave
    }

    /// Ends the attempt, unless an end is being recorded in place of the provider's result. Returns the next step.
    @inline(never)
    private func ended(_ flight: QueuedFlight, startedAt: Date, endedAt: Date, _ reply: Reply) -> NextStep {
        guard let engine else {
            watch?.ended(with: nil, wasSent: reply.wasSent)
            return .leave
        }
        guard let stopped = engine.ended(flight.key, with: reply) else {
            guard let standIn = state.withLock({ $0.standIn }) else { return .leave }
            return .awaitStandIn(standIn)
        }
        let end = parts.end(of: flight, startedAt: startedAt, endedAt: endedAt, reply: reply, stopped: stopped)
        watch?.ended(with: end, wasSent: reply.wasSent)
        return .record(end)
    }

    // MARK: While the provider works

    func progressed(to fraction: Double) {
        engine?.apply { $0.progressed(queued.key, to: fraction) }
    }

    func learned(_ limits: ReportedLimits) {
        state.withLock { $0.limits = Box(limits) }
    }

    func yielded(_ bytes: Data) async throws {
        try await stream.yield(bytes)
    }

    // MARK: What outlives it

    var resumePoint: ResumePoint? { queued.resumePoint }

    func remembers(_ handle: Data?) async throws {
        try await stream.remember(handle)
    }

    func resumed() async throws {
        try await stream.resume(queued)
    }

    func isWanted() async throws -> Bool {
        try await stream.isWanted()
    }

    // MARK: Abandoning

    /// Records an end in place of the provider's result, if the request is to continue. The provider did not stop in
    /// time, and the next attempt may use the attempt's slot. If the provider returns later, its result is also
    /// recorded.
    func abandoned(because reason: StopReason, with spawner: TaskSpawner) {
        guard reason.isRecordedWhenAbandoned, let started = startedFlight else { return }
        let error: AIServiceError =
            if case .timedOut(let limit) = reason { .timedOut(after: limit) } else { .interrupted }
        var reply = Reply(result: .failure(error))
        reply.hasBegun = stream.stop()
        reply.memory = stream.memory
        let end = parts.end(
            of: started, startedAt: placedAt, endedAt: parts.date(), reply: reply, stopped: reason)
        let standIn = spawner.start { [self] in
            watch?.ended(with: end, wasSent: true)
            await record(end)
        }
        state.withLock { $0.standIn = standIn }
    }

    private var startedFlight: QueuedFlight? {
        guard !queued.lifecycle.isExecuting else { return queued }
        do throws(FlightLifecycle.Refusal) {
            var lifecycle = queued.lifecycle
            try lifecycle.attemptStarted(token: lifecycle.token)
            return queued.started(as: lifecycle, at: placedAt)
        } catch {
            return nil  // unreachable: the attempt was started
        }
    }

    // MARK: The journal

    @inline(never)
    private func journalled() async -> QueuedFlight? {
        do {
            switch try await parts.journalStart(of: queued) {
            case .started(let started): return started
            case .refused: engine?.startRefused(queued.key)
            case .outOfTime: engine?.startTooLate(queued)
            }
        } catch {
            engine?.startFailed(queued.key, with: error)
        }
        return nil
    }

    /// Commits an end without waiting for the commit, so that the attempt's task can end at once. If the commit does
    /// not record the end, a new task handles the answer of the store.
    ///
    /// A task that waits for the commit would be woken only to end. The same commit also starts other attempts, and
    /// each additional wake-up would delay them.
    @inline(never)
    private func commit(_ end: AttemptEnd) {
        parts.journal.commit([.settle(end)]) { [self] result in
            let answer = result.map { $0[0] }
            if case .success(.done) = answer { return }
            _ = engine?.spawner.start { await self.record(end, answeredBy: answer) }
        }
    }

    /// Records an end. If the store cannot be written, keeps the end until the store can be written again.
    ///
    /// - Parameter first: The store's answer to the first commit of this end, if this end was already committed once.
    @inline(never)
    private func record(_ end: AttemptEnd, answeredBy first: Result<WriteReceipt, any Error>? = nil) async {
        let key = AttemptKey(flight: end.flight, token: end.lifecycle.token)
        var first = first
        var failures = 0
        while true {
            do {
                let isRecorded = try await parts.settle(
                    end, answeredBy: first.take(), isLastTry: failures + 1 >= Self.maximumRecordings)
                if !isRecorded { engine?.recordingOver(end) }
                return
            } catch {
                let tries: Int? = await withCheckedContinuation { continuation in
                    guard let engine else { return continuation.resume(returning: nil) }
                    engine.recordingFailed(key, with: error, continuation)
                }
                guard let tries else { return }
                failures = tries
            }
        }
    }

    /// The maximum number of tries to record an answer if commits succeed, but the content of the answer cannot be
    /// stored.
    ///
    /// Between these tries, no call is sent. After the last try, the request fails. Otherwise one answer could block
    /// all requests for ever.
    static let maximumRecordings = 60
}
