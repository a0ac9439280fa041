import Hablare
import HablareSupport

/// Suspends the engine once a provider refuses a request for a reason that applies to all others, such as a wrong key.
/// Only refusals of this process count: another process on the store may have the right key, and continues.
final class Refusals: Sendable {
    /// Attempts in flight may finish within their own time limits, because their answers are paid for.
    private static let grace = Duration.seconds(7 * 24 * 3600)

    private let refusal = Locked<AIServiceError?>(nil)
    private let first = AsyncStream.makeStream(of: AIServiceError.self, bufferingPolicy: .bufferingOldest(1))
    private let suspended = AsyncStream.makeStream(of: Void.self)

    var isRefused: Bool { refusal.withLock { $0 != nil } }

    func noted(_ event: EngineEvent) {
        guard case .refused(_, _, let error) = event else { return }
        refusal.withLock { $0 = $0 ?? error }
        first.continuation.yield(error)
    }

    /// Suspends the engine at the first refusal. Runs until the task is cancelled. Call it once.
    func watch(over manager: AIRequestManager, _ tell: (AIServiceError) async -> Void = { _ in }) async {
        for await refusal in first.stream {
            await tell(refusal)
            await manager.suspend(for: .background, grace: Self.grace)
            suspended.continuation.finish()
        }
    }

    /// Waits until a refusal has suspended the engine and nothing is in flight. Returns `false` if the task is
    /// cancelled. Call it once.
    func untilSuspended() async -> Bool {
        for await _ in suspended.stream {}
        return !Task.isCancelled
    }
}

/// The first error of a write to the store. The engine waits for a full disk to get space again, as an app wants it. A
/// command instead reports the error to the user at once and ends.
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

    /// Waits for the first error; `nil` if the task is cancelled. Call it once.
    func firstError() async -> AIServiceError? {
        for await error in errors.stream { return error }
        return nil
    }
}
