import Hablare

/// Notices that a provider refuses one request in a way that it would refuse every other in, too, and has the engine
/// rest then: a wrong key would be told it thousands of times, once for each sentence of a book.
///
/// Only what this process was refused counts: another one on the store may have the right key, and goes on.
final class Refusals: Sendable {
    /// What somebody has to put right first, and stands in the way of every request.
    private static let codes: Set<AIServiceError.Code> = [.unauthorized, .quotaExceeded, .invalidConfiguration]
    /// Attempts under way may go on to their end, which their own limits of time bound: what they bring is paid for.
    private static let grace = Duration.seconds(7 * 24 * 3600)

    private let hasCome = Guarded(false)
    private let first = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
    private let rested = AsyncStream.makeStream(of: Void.self)

    /// Whether one came.
    var isRefused: Bool { hasCome.withLock { $0 } }

    /// Something was written to the store.
    func wrote(_ writes: [StoreWrite]) {
        guard writes.contains(where: Self.isRefusal) else { return }
        hasCome.withLock { $0 = true }
        first.continuation.yield()
    }

    /// Has the engine rest once one comes, until the task is cancelled. To be called once.
    func watch(over manager: AIRequestManager) async {
        for await _ in first.stream {
            await manager.suspend(for: .background, grace: Self.grace)
            rested.continuation.finish()
        }
    }

    /// Waits until the engine rests because one came: nothing is under way any more. To be called once.
    ///
    /// - Returns: `false` when the task is cancelled before.
    func untilResting() async -> Bool {
        for await _ in rested.stream {}
        return !Task.isCancelled
    }

    private static func isRefusal(_ write: StoreWrite) -> Bool {
        guard case .settle(let end) = write, case .failed(let error) = end.outcome else { return false }
        return codes.contains(error.code)
    }
}
