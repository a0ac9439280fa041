import Foundation
import Logging

/// Runs one attempt: journals it, sends it, records what came of it, announces that. Keeps no state of its own.
///
/// One object, because every attempt's task holds it: a copy would retain each of its parts.
final class AttemptRunner: Sendable {
    let journal: Journal
    let content: (any ContentStore)?
    let registry: ProviderRegistry
    let hub: StatusHub
    let answers: AnswerCache
    let streams: AttemptStream.Seams
    let date: @Sendable () -> Date
    let attemptTimeout: Duration
    let retry: RetryPolicy
    let jitter: @Sendable () -> Double
    let spending: Spending
    let observer: EngineObserver
    let logger: Logger

    init(
        journal: Journal, content: (any ContentStore)?, registry: ProviderRegistry, hub: StatusHub,
        answers: AnswerCache, streams: AttemptStream.Seams, date: @escaping @Sendable () -> Date,
        attemptTimeout: Duration,
        retry: RetryPolicy, jitter: @escaping @Sendable () -> Double, spending: Spending, observer: EngineObserver,
        logger: Logger
    ) {
        self.journal = journal
        self.content = content
        self.registry = registry
        self.hub = hub
        self.answers = answers
        self.streams = streams
        self.date = date
        self.attemptTimeout = attemptTimeout
        self.retry = retry
        self.jitter = jitter
        self.spending = spending
        self.observer = observer
        self.logger = logger
    }

    /// How long an attempt at a request may take.
    func timeout(of flight: QueuedFlight) -> Duration {
        flight.request.attemptTimeout ?? registry.registration(of: flight.provider)?.limits.attemptTimeout
            ?? attemptTimeout
    }

    /// Whether a provider rests while there is no network.
    func needsNetwork(_ provider: ProviderID) -> Bool { registry.registration(of: provider)?.needsNetwork ?? false }

    /// What a call costs in units of its account's limit; 0 where the limit has none.
    func cost(of request: AIRequest, for provider: ProviderID) -> Double {
        guard let registered = registry.registration(of: provider), registered.limits.rate?.unitsPerMinute != nil
        else { return 0 }
        let units = registered.provider.units(of: request)
        return units.isFinite ? max(0, units) : 0
    }

    /// What came of sending an attempt.
    struct Reply: Sendable {
        var result: Result<ProviderAnswer, AIServiceError>
        /// What the provider said of its limits.
        var limits: Boxed<ReportedLimits>?
        /// Whether the provider failed after it had heard, before anybody else here, that its attempt is another's or over.
        var wasDeposed = false
        /// Whether the provider was called.
        var wasSent = true
        /// Whether it was not, because there was no time left.
        var isOutOfTime = false
        /// Whether readers may have seen a part of the answer.
        var hasBegun = false
        /// What the provider answered, also where that could not be kept.
        var answer: ProviderAnswer?
        /// What the provider may have billed at least, whatever its result says.
        var billing = BillingState.neverSent
        /// What it yielded and the store has not taken yet.
        var rest: Boxed<ChunkGroup>?
        /// What there is to go on with; `nil` where the provider was not called.
        var memory: AttemptStream.Memory?

        /// What the answer says that was used; or the failure, of one that is of no use.
        var usage: Usage? { answer?.usage ?? error?.usage }

        /// What it failed of.
        var error: AIServiceError? {
            if case .failure(let error) = result { error } else { nil }
        }
    }

    /// What is to be done with an attempt that is on disk.
    private enum Preparation: Sendable {
        case call(AttemptCall)
        case leaveUnsent(Boxed<Reply>)
    }

    /// Sends the attempt, before the eyes of whoever watches it.
    @inline(never)
    func send(
        _ flight: QueuedFlight, _ stream: AttemptStream, watchedBy watch: AttemptWatch,
        cameBack: @Sendable (Reply) -> Void
    ) async -> Boxed<Reply> {
        watch.began(flight, type: registry.registration(of: flight.provider)?.responseType ?? .data)
        return await watch.sending { await send(flight, stream, cameBack: cameBack) }
    }

    /// Sends the attempt, unless it was stopped or its request ran out of time.
    ///
    /// A function of its own, as are those below that do not suspend, and with a reply of one word: whatever has a place in
    /// the frame of a suspended function takes memory for every call under way.
    ///
    /// - Parameter cameBack: Called with what the provider says when it comes back and something that it yielded may still
    ///   have to be journalled. What is returned may be worse: not all of it could be kept.
    @inline(never)
    func send(
        _ flight: QueuedFlight, _ stream: AttemptStream, cameBack: @Sendable (Reply) -> Void
    ) async -> Boxed<Reply> {
        let call: AttemptCall
        switch prepare(flight, stream) {
        case .leaveUnsent(let reply): return reply
        case .call(let prepared): call = prepared
        }
        switch call.cameBack(with: await call.provider.generate(call.asSeenByProvider), telling: cameBack) {
        case .over(let reply): return reply
        case .yielded(let reply): return await reply.ending(stream)
        }
    }

    /// The call of an attempt, announced as executing; or why there is none. In one piece without a suspension, because
    /// whatever is alive while the provider works is kept for every call under way.
    @inline(never)
    private func prepare(_ flight: QueuedFlight, _ stream: AttemptStream) -> Preparation {
        if let failure = flight.failure { return unsent(failure) }
        guard let provider = registry[flight.provider] else {
            return unsent(.providerNotFound(flight.provider, known: registry.ids))
        }
        guard !Task.isCancelled else { return unsent(.attemptCancelled) }
        let remaining = flight.request.deadline.map { Duration.between(date(), $0) }
        if let remaining, remaining <= .zero {
            return .leaveUnsent(Boxed(Reply(result: .failure(.deadlineExceeded), wasSent: false, isOutOfTime: true)))
        }
        hub.announce(.executing(progress: nil), of: flight.id, ledBy: flight.request.id)
        stream.sent(as: flight.lifecycle)
        return .call(
            AttemptCall(
                of: flight, to: provider, stream, hub: hub,
                timeout: min(timeout(of: flight), remaining ?? timeout(of: flight))))
    }

    private func unsent(_ failure: AIServiceError) -> Preparation {
        .leaveUnsent(Boxed(Reply(result: .failure(failure), wasSent: false)))
    }

    /// The stream of an attempt that is about to be made.
    func stream(of flight: QueuedFlight) -> AttemptStream {
        let type = registry.registration(of: flight.provider)?.responseType ?? .data
        return AttemptStream(of: flight, type: type, seams: streams)
    }
}

extension Boxed<AttemptRunner.Reply> {
    /// A provider's reply with what it yielded, once all of that is journalled.
    @inline(never)
    fileprivate func ending(_ stream: AttemptStream) async -> Self {
        let ending = await stream.end(keepsBody: value.isStreamed)
        return Boxed(value.with(ending, streams: stream.policy != nil))
    }
}

extension AttemptRunner.Reply {
    /// Whether the answer is what the provider yielded.
    var isStreamed: Bool { answer?.isStreamed == true }

    /// A provider's reply with what it yielded.
    func with(_ ending: AttemptStream.Ending, streams: Bool) -> Self {
        var reply = self
        let memory = ending.memory
        reply.memory = memory
        reply.hasBegun = ending.hasBegun && streams
        reply.rest = ending.rest.map { Boxed($0) }
        reply.billing = answer != nil ? .billed : ending.hasBegun ? .maybeBilled : .neverSent
        // A failure of the provider's own says more than that its chunks could not be kept; but not what becomes of the
        // work that it was to go on with.
        if let failure = ending.failure, answer != nil || memory.hasBegunAnew {
            reply.result = .failure(failure)
        } else if answer != nil, !memory.mayAnswer, isStreamed || memory.keptChunks > 0 {
            // What readers have seen is no part of it.
            reply.memory?.beganAnew()
            reply.result = .failure(.notResumed)
        } else if var answer, let body = ending.body {
            answer.content = answer.content.replacingBody(with: body)
            reply.result = .success(answer)
        } else if answer != nil, ending.hasBegun || memory.keptChunks > 0 {
            reply.result = .failure(.yieldedAndAnswered)
        }
        return reply
    }
}

extension AIServiceError {
    static let yieldedAndAnswered = AIServiceError(
        .invalidResponse,
        "The provider yielded chunks and answered with content of its own. Answer with `ProviderAnswer(streamed:)`.")

    static func providerNotFound(_ id: ProviderID, known: [ProviderID]) -> AIServiceError {
        let names = known.map(\.rawValue).joined(separator: ", ")
        return AIServiceError(
            .providerNotFound,
            "No provider is called \(id). Registered: \(names.isEmpty ? "none" : names). Register it where the engine is put together."
        )
    }
}
