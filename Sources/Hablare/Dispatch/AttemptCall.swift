import Foundation

/// An attempt's call of its provider: what the provider is given, and who hears what it says while it works.
///
/// One object, because there is one for every call under way, and all that a suspended task needs of a call is kept
/// alive by it.
final class AttemptCall: CallListener {
    private struct State: Sendable {
        var limits: Boxed<ReportedLimits>?
        var isOver = false
    }

    let provider: any AIServiceProvider
    private let flight: QueuedFlight
    private let stream: AttemptStream
    private let hub: StatusHub
    private let timeout: Duration
    private let state = Guarded(State())

    init(
        of flight: QueuedFlight, to provider: any AIServiceProvider, _ stream: AttemptStream, hub: StatusHub,
        timeout: Duration
    ) {
        self.flight = flight
        self.provider = provider
        self.stream = stream
        self.hub = hub
        self.timeout = timeout
    }

    var asSeenByProvider: ProviderCall {
        ProviderCall(
            request: flight.request, attempt: flight.lifecycle.attempt, timeout: timeout, listener: self)
    }

    /// What came back, and whether what the provider yielded has to be put away.
    enum Return: Sendable {
        case over(Boxed<AttemptRunner.Reply>)
        case yielded(Boxed<AttemptRunner.Reply>)
    }

    /// The provider came back: it has nothing more to say.
    ///
    /// - Parameter cameBack: Told of it at once where something was yielded.
    @inline(never)
    func cameBack(
        with result: Result<ProviderAnswer, AIServiceError>, telling cameBack: (AttemptRunner.Reply) -> Void
    ) -> Return {
        let reply = reply(result)
        if stream.hasBegun { cameBack(reply) }
        guard let ending = stream.endedAtOnce(keepsBody: reply.isStreamed) else { return .yielded(Boxed(reply)) }
        return .over(Boxed(reply.with(ending, streams: stream.policy != nil)))
    }

    private func reply(_ result: Result<ProviderAnswer, AIServiceError>) -> AttemptRunner.Reply {
        let limits = state.withLock { state in
            state.isOver = true
            return state.limits
        }
        switch result {
        case .success(let answer): return AttemptRunner.Reply(result: result, limits: limits, answer: answer)
        case .failure(let error):
            // Made only where something failed: it looks at the whole prompt.
            let redacted = FailureRedaction(of: flight.request).redacted(error)
            return AttemptRunner.Reply(
                result: .failure(redacted), limits: limits, wasDeposed: stream.memory.wasRefused)
        }
    }

    // MARK: While it works

    func progressed(to fraction: Double) {
        if state.withLock({ $0.isOver }) { return }
        hub.announce(.executing(progress: fraction), of: flight.id, ledBy: flight.request.id)
    }

    func learned(_ limits: ReportedLimits) {
        state.withLock { $0.limits = Boxed(limits) }
    }

    func yielded(_ bytes: Data) async throws {
        try await stream.yield(bytes)
    }

    // MARK: What outlives it

    var remembered: RememberedWork? { flight.remembered }

    func remembers(_ handle: Data?) async throws {
        try await stream.remember(handle)
    }

    func resumed() async throws {
        try await stream.resume(flight)
    }

    func isWanted() async throws -> Bool {
        try await stream.isWanted()
    }
}
