import Hablare

/// Tells of the first error with which a store refused to be written.
///
/// The engine waits for a full disk to get space again, which is right for an app that lives for weeks. Somebody at a
/// command line is told at once, and the command ends.
final class StoreAlarm: Sendable {
    private let errors = AsyncStream.makeStream(of: AIServiceError.self, bufferingPolicy: .bufferingOldest(1))

    /// The store refused a write.
    func ring(_ error: any Error) {
        guard let error = error as? AIServiceError, error.category == .storage else { return }
        errors.continuation.yield(error)
    }

    /// Waits for the first error; `nil` when the task is cancelled. To be called once.
    func firstError() async -> AIServiceError? {
        for await error in errors.stream { return error }
        return nil
    }
}
