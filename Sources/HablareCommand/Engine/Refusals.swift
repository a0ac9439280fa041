import Hablare

/// Suspends the engine once a provider refuses a request as it would refuse every other, such as for a wrong key. Only
/// refusals of this process count: another one on the store may have the right key, and goes on.
final class Refusals: Sendable {
    /// Attempts under way may go on to their end, which their own limits of time bound: what they bring is paid for.
    private static let grace = Duration.seconds(7 * 24 * 3600)

    private let refusal = Guarded<AIServiceError?>(nil)
    private let first = AsyncStream.makeStream(of: AIServiceError.self, bufferingPolicy: .bufferingOldest(1))
    private let suspended = AsyncStream.makeStream(of: Void.self)

    var isRefused: Bool { refusal.withLock { $0 != nil } }

    func noted(_ event: EngineEvent) {
        guard case .refused(_, _, let error) = event else { return }
        refusal.withLock { $0 = $0 ?? error }
        first.continuation.yield(error)
    }

    /// Suspends the engine at the first refusal. Goes on until the task is cancelled. Call it once.
    func watch(over manager: AIRequestManager, _ tell: (AIServiceError) async -> Void = { _ in }) async {
        for await refusal in first.stream {
            await tell(refusal)
            await manager.suspend(for: .background, grace: Self.grace)
            suspended.continuation.finish()
        }
    }

    /// Waits until the engine is suspended because of a refusal: nothing is under way any more. Call it once.
    func untilSuspended() async -> Bool {
        for await _ in suspended.stream {}
        return !Task.isCancelled
    }
}

/// The first error with which the store could not be written. The engine waits for a full disk to get space again, as an
/// app wants it; a command tells the person at once, and ends.
final class StoreAlarm: Sendable {
    private let errors = AsyncStream.makeStream(of: AIServiceError.self, bufferingPolicy: .bufferingOldest(1))

    func noted(_ event: EngineEvent) {
        switch event {
        case .storeFailed(let error): errors.continuation.yield(error)
        default:
            guard let error = event.settlement?.failure, error.category == .storage else { return }
            errors.continuation.yield(error)
        }
    }

    /// Waits for the first error; `nil` when the task is cancelled. Call it once.
    func firstError() async -> AIServiceError? {
        for await error in errors.stream { return error }
        return nil
    }
}
