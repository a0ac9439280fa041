import Dispatch

/// Runs work that waits for a disk, or that encodes for long, on threads that may wait.
enum BlockingAudioWork {
    /// Returns the result of the work. Cancelling the task does not interrupt it.
    static func run<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async { continuation.resume(with: Result { try work() }) }
        }
    }
}
