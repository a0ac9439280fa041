import Hablare
import HablareSupport

/// A collector of the texts of concurrent attempts, which share calls for vectors. ``EmbeddingBatches`` decides which
/// texts share a call. The collector sends the calls, and returns to each text its own result.
///
/// Each call runs in a separate task, because its texts belong to different attempts. If all texts of a call are
/// cancelled, its task is cancelled.
final class EmbeddingGatherer: Sendable {
    /// The results of a call's texts, in the order of the texts, or the failure of the whole call.
    typealias Results = Result<[Result<ProviderAnswer, AIServiceError>], AIServiceError>
    /// A function that sends one call. Its ``ProviderCall`` has the texts, and the longest timeout of them. It receives
    /// the reported limits.
    typealias Send = @Sendable ([OpenAIEmbeddingRequest], ProviderCall) async -> Results

    private struct Waiter {
        let request: OpenAIEmbeddingRequest
        let call: ProviderCall
        let continuation: CheckedContinuation<Result<ProviderAnswer, AIServiceError>, Never>
    }

    private struct State {
        var batches: EmbeddingBatches
        var lastTicket = 0
        var waiters: [Int: Waiter] = [:]
        /// The texts that were cancelled before they were added to a group.
        var cancelledEarly: Set<Int> = []
        var calls: [Int: Task<Void, Never>] = [:]
        var timer: Task<Void, Never>?
    }

    private let state: Locked<State>
    private let send: Send
    private let sharesCalls: Bool
    private let spawner: TaskSpawner
    private let clock: any Clock<Duration>
    private let elapsed: @Sendable () -> Duration

    /// - Parameters:
    ///   - batches: The state machine, without texts.
    ///   - clock: The clock for the times at which calls are sent.
    ///   - spawner: The task spawner that starts the calls' tasks.
    ///   - sharesCalls: Whether texts share calls. If `true`, the engine's queue for the account counts texts, so the
    ///     service's limit of calls is not reported to the engine.
    ///   - send: A function that sends one call.
    init(
        _ batches: EmbeddingBatches, clock: any Clock<Duration>, spawner: TaskSpawner, sharesCalls: Bool = true,
        send: @escaping Send
    ) {
        state = Locked(State(batches: batches))
        self.send = send
        self.sharesCalls = sharesCalls
        self.spawner = spawner
        self.clock = clock
        elapsed = Self.stopwatch(clock)
    }

    /// The number of texts that wait for their result.
    var waitingCount: Int { state.withLock { $0.waiters.count } }

    private static func stopwatch(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    /// Returns the vector of a text. If the task is cancelled, the text leaves its call at once. The call continues for
    /// its other texts.
    func answer(
        _ request: OpenAIEmbeddingRequest, for call: ProviderCall
    ) async -> Result<ProviderAnswer, AIServiceError> {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                arrived(ticket, Waiter(request: request, call: call, continuation: continuation))
            }
        } onCancel: {
            cancelled(ticket)
        }
        state.withLock { _ = $0.cancelledEarly.remove(ticket) }
        return result
    }

    // MARK: Events

    private func arrived(_ ticket: Int, _ waiter: Waiter) {
        let now = elapsed()
        let isCancelled = state.withLock { state in
            guard state.cancelledEarly.remove(ticket) == nil else { return true }
            state.waiters[ticket] = waiter
            let actions = state.batches.arrived(
                ticket, tokens: waiter.request.tokens, in: waiter.request.group, now: now)
            perform(actions, &state)
            return false
        }
        if isCancelled { waiter.continuation.resume(returning: .failure(Self.unsent)) }
    }

    private func cancelled(_ ticket: Int) {
        let now = elapsed()
        let left: (waiter: Waiter, wasUnsent: Bool)? = state.withLock { state in
            guard let waiter = state.waiters.removeValue(forKey: ticket) else {
                // It has not arrived, or has its result already.
                state.cancelledEarly.insert(ticket)
                return nil
            }
            let (wasUnsent, actions) = state.batches.cancelled(ticket, now: now)
            perform(actions, &state)
            return (waiter, wasUnsent)
        }
        guard let left else { return }
        left.waiter.continuation.resume(returning: .failure(left.wasUnsent ? Self.unsent : .attemptCancelled))
    }

    /// The failure of a text that was cancelled before its call was sent. Such a text costs nothing.
    private static let unsent = AIServiceError.attemptCancelled.billed(.billed(Usage(costMicroDollars: 0)))

    private func timePassed() {
        let now = elapsed()
        state.withLock { perform($0.batches.timePassed(now: now), &$0) }
    }

    // MARK: Actions

    private func perform(
        _ actions: [EmbeddingBatches.Action], _ state: inout State,
        failing fail: ([Int], inout State) -> Void = { _, _ in }
    ) {
        for action in actions {
            switch action {
            case .send(let call, let tickets):
                state.calls[call] = spawner.start { [self] in await run(call, tickets) }
            case .stop(let call): state.calls[call]?.cancel()
            case .fail(let tickets): fail(tickets, &state)
            case .wake(let time):
                state.timer?.cancel()
                let pause = time - elapsed()
                state.timer = spawner.start { [self] in
                    do { try await clock.sleep(for: pause) } catch { return }  // another time replaced it
                    timePassed()
                }
            }
        }
    }

    /// Sends a call and returns each text's result.
    private func run(_ call: Int, _ tickets: [Int]) async {
        // Some may have been cancelled since the machine decided.
        let waiting = state.withLock { state in
            tickets.compactMap { ticket in state.waiters[ticket].map { (ticket, $0) } }
        }
        guard let first = waiting.first?.1 else { return ended(call, [], .failure(.attemptCancelled)) }
        let limits = Locked<ReportedLimits?>(nil)
        // The service may quote any of the texts, and its message goes to all of them.
        var request = first.call.request
        request.prompt = .messages(waiting.map { .init(role: .user, text: $0.1.request.text) })
        let shared = ProviderCall(
            request: request, attempt: first.call.attempt,
            timeout: waiting.map(\.1.call.timeout).max() ?? first.call.timeout,
            limits: { reported in limits.withLock { $0 = reported } })
        let results = await send(waiting.map(\.1.request), shared)
        if let reported = limits.withLock({ $0 }) {
            if let perMinute = reported.requests?.perMinute {
                state.withLock { $0.batches.learned(callsPerMinute: perMinute) }
            }
            // One report is enough for all texts.
            if let limits = sharesCalls ? reported.ofTexts : reported { waiting.last?.1.call.report(limits: limits) }
        }
        ended(call, waiting.map(\.0), results)
    }

    private func ended(_ call: Int, _ tickets: [Int], _ results: Results) {
        let now = elapsed()
        var resumed: [(Waiter, Result<ProviderAnswer, AIServiceError>)] = []
        state.withLock { state in
            state.calls[call] = nil
            switch results {
            case .success(let results):
                for (ticket, result) in zip(tickets, results) {
                    if let waiter = state.waiters.removeValue(forKey: ticket) { resumed.append((waiter, result)) }
                }
                perform(state.batches.ended(call, .answered, now: now), &state)
            case .failure(let error):
                let isRefusal = error.code == .invalidRequest && error.disposition == .fail
                let actions = state.batches.ended(call, isRefusal ? .refused : .failed, now: now)
                perform(actions, &state) { tickets, state in
                    for ticket in tickets {
                        if let waiter = state.waiters.removeValue(forKey: ticket) {
                            resumed.append((waiter, .failure(error)))
                        }
                    }
                }
            }
        }
        for (waiter, result) in resumed { waiter.continuation.resume(returning: result) }
    }
}

extension ReportedLimits {
    /// The limits for a queue that counts texts: the token limits, and the pause if the service allows no further call;
    /// `nil` if there are none.
    fileprivate var ofTexts: ReportedLimits? {
        let calls = requests.flatMap { quota -> Quota? in
            guard let remaining = quota.remaining, remaining < 1, let reset = quota.resetsAfter else { return nil }
            return Quota(remaining: 0, resetsAfter: reset)
        }
        return calls == nil && units == nil ? nil : ReportedLimits(requests: calls, units: units)
    }
}
