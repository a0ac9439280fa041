import Hablare

/// The first error with which the store could not be written.
///
/// The engine waits for a full disk to get space again, which is right for an app that lives for weeks. A command tells
/// the person at once, and ends.
final class StoreAlarm: Sendable {
    private let errors = AsyncStream.makeStream(of: AIServiceError.self, bufferingPolicy: .bufferingOldest(1))

    /// Rings for a failed write: of a row, or of a content file, which shows as the failure of its attempt.
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
