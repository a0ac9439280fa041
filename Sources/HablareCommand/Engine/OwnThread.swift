import Dispatch
import Hablare

/// Where the command does what blocks for as long as a disk or a processor takes. The threads of the cooperative pool
/// must not: there may be one of them only, and the signals need it.
enum OwnThread {
    /// Does something on a thread of its own, and waits for its end.
    ///
    /// - Parameter body: Told whether to go on, as often as it asks: not once the task is cancelled.
    /// - Throws: What the body throws.
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable (_ goesOn: () -> Bool) throws -> Value
    ) async throws -> Value {
        let isCancelled = Guarded(false)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue(label: "hablare.blocking").async {
                    continuation.resume(with: Result { try body { !isCancelled.withLock { $0 } } })
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }
}
