public import Hablare

/// A provider that answers as it is told: the mock for tests and previews.
///
/// By default it answers every call with the prompt as text. Give it a script to answer otherwise, or a ``Gate`` to
/// hold calls until the test lets them go. It counts what was asked of it.
public struct ScriptedProvider: AIServiceProvider {
    /// What a provider saw.
    public struct Record: Sendable {
        /// Every call, in the order they came.
        public var calls: [ProviderCall] = []
        /// How many are under way.
        public var running = 0
        /// How many were under way at once, at most.
        public var maximumRunning = 0
        /// How many calls ended because their task was cancelled.
        public var cancellations = 0
    }

    /// Its id.
    public let id: ProviderID
    /// What it promises to answer.
    public let responseType: ContentType
    /// How much may be asked of it.
    public let limits: ProviderLimits
    /// Whether it rests while there is no network.
    public let needsNetwork: Bool
    private var maximum: @Sendable (AIRequest) -> Usage? = { _ in nil }
    private let script: @Sendable (ProviderCall) async -> Result<ProviderAnswer, AIServiceError>
    private let state = Guarded(Record())

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - responseType: What it promises to answer.
    ///   - limits: How much may be asked of it.
    ///   - needsNetwork: Whether it rests while there is no network.
    ///   - script: What it answers; the prompt's text by default.
    public init(
        id: ProviderID = "scripted", responseType: ContentType = .text, limits: ProviderLimits = ProviderLimits(),
        needsNetwork: Bool = true,
        script: @escaping @Sendable (ProviderCall) async -> Result<ProviderAnswer, AIServiceError> = { call in
            .success(ProviderAnswer(.text(Body(call.request.prompt.plainText))))
        }
    ) {
        self.id = id
        self.responseType = responseType
        self.limits = limits
        self.needsNetwork = needsNetwork
        self.script = script
    }

    /// What it saw so far.
    public var record: Record { state.withLock { $0 } }

    /// The same provider, which says what a call can use at most; without this it does not know.
    public func using(atMost maximum: @escaping @Sendable (AIRequest) -> Usage?) -> ScriptedProvider {
        var provider = self
        provider.maximum = maximum
        return provider
    }

    /// What a call can use, as it was made to say.
    public func maximumUsage(of request: AIRequest) -> Usage? { maximum(request) }

    /// Answers by the script.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        state.withLock { record in
            record.calls.append(call)
            record.running += 1
            record.maximumRunning = max(record.maximumRunning, record.running)
        }
        let result = await script(call)
        let isCancelled = Task.isCancelled
        state.withLock { record in
            record.running -= 1
            if isCancelled { record.cancellations += 1 }
        }
        return result
    }
}

/// Holds whoever passes until it is opened, so that a test decides when a provider answers.
public final class Gate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var admitted = 0
        var arrived = 0
        var waiting: [Waiter<Void>] = []
    }

    private let state = Guarded(State())
    private let arrivals = CountWaiters()

    /// Creates a closed gate.
    public init() {}

    /// Waits until the gate lets the caller pass, or throws `CancellationError`.
    public func pass() async throws {
        let waiter = Waiter<Void>()
        state.withLock { state in
            state.arrived += 1
            // Under the lock, so that the counts come in their order.
            arrivals.set(state.arrived)
            if state.isOpen {
                waiter.resume()
            } else if state.admitted > 0 {
                state.admitted -= 1
                waiter.resume()
            } else {
                state.waiting.append(waiter)
            }
        }
        do {
            try await waiter.value()
        } catch {
            state.withLock { $0.waiting.removeAll { $0 === waiter } }
            throw error
        }
    }

    /// Lets one caller pass: the one that has waited longest, or the next to come.
    public func admitOne() {
        while true {
            let next = state.withLock { state -> Waiter<Void>? in
                guard !state.waiting.isEmpty else {
                    state.admitted += 1
                    return nil
                }
                return state.waiting.removeFirst()
            }
            // One that was cancelled at this moment lets the next one pass.
            guard let next, !next.resume() else { return }
        }
    }

    /// Lets everybody pass, now and later.
    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Waits until so many callers have come, whether they passed or not. Ends early when the task is cancelled.
    public func arrivals(reach count: Int) async {
        await arrivals.reach(count)
    }
}
