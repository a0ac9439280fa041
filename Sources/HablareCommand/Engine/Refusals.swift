import Hablare
import HablareSupport

/// Suspends the engine if a provider refuses a request for a reason that applies to all other requests, such as a wrong
/// key. Only refusals in this process count, because another process on the store may have the right key.
final class Refusals: Sendable {
    /// The time for which attempts in flight may continue after the refusal. It is very long, because their answers are
    /// paid for, and their own time limits apply.
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

    /// Suspends the engine at the first refusal. Runs until the task is cancelled. Call this method only once.
    func watch(over manager: AIRequestManager, _ tell: (AIServiceError) async -> Void = { _ in }) async {
        for await refusal in first.stream {
            await tell(refusal)
            await manager.suspend(for: .background, grace: Self.grace)
            suspended.continuation.finish()
        }
    }

    /// Waits until a refusal has suspended the engine and no attempt is in flight. Returns `false` if the task is
    /// cancelled. Call this method only once.
    func untilSuspended() async -> Bool {
        for await _ in suspended.stream {}
        return !Task.isCancelled
    }
}

/// The first error of a write to the store. If the disk is full, the engine waits until there is space again, which is
/// right for an app. A command instead reports the error to the user at once and ends.
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

    /// Waits for the first error; `nil` if the task is cancelled. Call this method only once.
    func firstError() async -> AIServiceError? {
        for await error in errors.stream { return error }
        return nil
    }
}
