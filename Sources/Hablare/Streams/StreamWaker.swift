import HablareSupport

/// Wakes one reader of a stream when there is news for the reader. If news arrives while the reader does not wait, the
/// next wait returns at once.
final class StreamWaker: Sendable {
    /// The news since the last wait.
    enum News: Sendable {
        case chunks
        /// The request may have ended, or another process may have taken over the request.
        case status
    }

    private struct State: Sendable {
        var news: News?
        var failure: (any Error)?
        var waiting: CheckedContinuation<Result<News, any Error>, Never>?
    }

    private let state = Locked(State())

    /// Waits for news.
    ///
    /// - Throws: The error that was passed to ``fail(_:)``. `CancellationError` if the task is cancelled.
    func wait() async throws -> News {
        try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result = state.withLock { state -> Result<News, any Error>? in
                    if let failure = state.failure { return .failure(failure) }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if let news = state.news {
                        state.news = nil
                        return .success(news)
                    }
                    state.waiting = continuation
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.resume(returning: .failure(CancellationError()))
        }.get()
    }

    func wake(_ news: News) {
        let waiting = state.withLock { state -> CheckedContinuation<Result<News, any Error>, Never>? in
            guard let waiting = state.waiting else {
                if state.news != .status { state.news = news }
                return nil
            }
            state.waiting = nil
            return waiting
        }
        waiting?.resume(returning: .success(news))
    }

    /// Ends the current and all later waits with an error. If this method is called several times, the first error
    /// counts.
    func fail(_ error: any Error) {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            state.failure = state.failure ?? error
            return state.waiting
        }
        waiting?.resume(returning: .failure(error))
    }
}
