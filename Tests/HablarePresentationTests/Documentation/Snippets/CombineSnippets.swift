import Hablare
import HablarePresentation
import HablareSupport

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// A service with callbacks, from the time before async functions.
final class CallbackService: Sendable {
    struct Call: Sendable {
        let cancel: @Sendable () -> Void
    }

    let cancelled = Locked(false)

    func ask(_ done: @escaping @Sendable (Result<String, any Error>) -> Void) -> Call {
        done(.success("forty-two"))
        done(.success("forty-three"))
        return Call(cancel: { [cancelled] in cancelled.withLock { $0 = true } })
    }
}

// snippet: callback to async
func answer(of service: CallbackService) async throws -> String {
    try await withCallback { done in
        let call = service.ask { result in done(result) }
        return { call.cancel() }
    }
}
// end snippet

// snippet: async to publisher and back
@MainActor
func publishedAndBack(_ load: @escaping @Sendable @concurrent () async throws -> String) async throws -> String {
    let publisher = MainPublisher.value { try await load() }
    return try await publisher.firstValue()
}
// end snippet

// snippet: commits of a queue
@MainActor
func commits<S: Scheduler>(
    of queue: some Publisher<Int, Never>, on scheduler: S, commit: @escaping (Int) -> Void
) -> AnyCancellable {
    queue.changes().debouncedForCommit(on: scheduler).sink(receiveValue: commit)
}
// end snippet
