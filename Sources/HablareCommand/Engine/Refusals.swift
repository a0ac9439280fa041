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

    private let come = Guarded<AIServiceError?>(nil)
    private let first = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
    private let rested = AsyncStream.makeStream(of: Void.self)

    /// Whether one came.
    var isRefused: Bool { come.withLock { $0 != nil } }

    /// Something was written to the store.
    func wrote(_ writes: [StoreWrite]) {
        guard let refusal = writes.lazy.compactMap(Self.refusal).first else { return }
        come.withLock { $0 = $0 ?? refusal }
        first.continuation.yield()
    }

    /// Has the engine rest once one comes, until the task is cancelled. To be called once.
    ///
    /// - Parameter tell: Told before what was refused: it may take long until what is under way has ended.
    func watch(over manager: AIRequestManager, _ tell: (AIServiceError) async -> Void = { _ in }) async {
        for await _ in first.stream {
            if let refusal = come.withLock({ $0 }) { await tell(refusal) }
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

    private static func refusal(_ write: StoreWrite) -> AIServiceError? {
        guard case .settle(let end) = write, case .failed(let error) = end.outcome, codes.contains(error.code) else {
            return nil
        }
        return error
    }
}
