public import Hablare
import HablareSupport

/// A provider whose answers are determined by a closure (the script). Use it in tests and previews.
///
/// By default, it answers every call with the text of the prompt. For other answers, pass a script. To delay an answer
/// until the test allows it, let the script wait for a ``Gate``. The provider records its calls.
public struct ScriptedProvider: AIServiceProvider {
    /// The calls that a provider has received.
    public struct Record: Sendable {
        /// All calls, in the order of their arrival.
        public var calls: [ProviderCall] = []
        /// The number of calls in progress.
        public var running = 0
        /// The maximum number of calls that were in progress at the same time.
        public var maximumRunning = 0
        /// The number of calls that ended because their task was cancelled.
        public var cancellations = 0
    }

    /// The provider's id.
    public let id: ProviderID
    /// The kind of content that the provider returns.
    public let responseType: ContentType
    /// The provider's limits.
    public let limits: ProviderLimits
    /// Whether the provider is not called while the engine is suspended because there is no network.
    public let needsNetwork: Bool
    private var maximum: @Sendable (AIRequest) -> Usage? = { _ in nil }
    private let script: @Sendable (ProviderCall) async -> Result<ProviderAnswer, AIServiceError>
    private let state = Locked(Record())

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The provider's id.
    ///   - responseType: The kind of content that the provider returns.
    ///   - limits: The provider's limits.
    ///   - needsNetwork: Whether the provider is not called while the engine is suspended because there is no network.
    ///   - script: A closure that returns the answer to a call. Default: the answer is the text of the prompt.
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

    /// The calls that the provider has received so far.
    public var record: Record { state.withLock { $0 } }

    /// Returns a provider with the same script and the same record of calls, which also states the maximum usage of a
    /// call. Without this method, the maximum usage is not known.
    public func using(atMost maximum: @escaping @Sendable (AIRequest) -> Usage?) -> ScriptedProvider {
        var provider = self
        provider.maximum = maximum
        return provider
    }

    /// Returns the maximum usage of a call. ``using(atMost:)`` sets the function that computes it.
    public func maximumUsage(of request: AIRequest) -> Usage? { maximum(request) }

    /// Answers a call with the result of the script.
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

/// A gate at which callers wait until a test lets them pass. With it, a test decides when a provider answers.
public final class Gate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var admitted = 0
        var arrived = 0
        var waiting: [Waiter<Void>] = []
    }

    private let state = Locked(State())
    private let arrivals = CountWaiters()

    /// Creates a closed gate.
    public init() {}

    /// Waits until the test lets the caller pass. Throws `CancellationError` if the task is cancelled.
    public func pass() async throws {
        let waiter = Waiter<Void>()
        state.withLock { state in
            state.arrived += 1
            // Set under the lock, so that the counts arrive in order.
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

    /// Lets one caller pass. It is the caller that has waited longest. If no caller waits, the next caller that arrives
    /// passes.
    public func admitOne() {
        while true {
            let next = state.withLock { state -> Waiter<Void>? in
                guard !state.waiting.isEmpty else {
                    state.admitted += 1
                    return nil
                }
                return state.waiting.removeFirst()
            }
            // If that caller was cancelled at this moment, the next one passes.
            guard let next, !next.resume() else { return }
        }
    }

    /// Lets all waiting callers and all later callers pass.
    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Waits until at least `count` callers have arrived at the gate. Callers that have already passed also count. The
    /// wait ends early if the task is cancelled.
    public func arrivals(reach count: Int) async {
        await arrivals.reach(count)
    }
}
