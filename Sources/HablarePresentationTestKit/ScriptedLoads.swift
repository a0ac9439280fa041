import Hablare

/// Loads that end when, and as, the test says.
package final class ScriptedLoads: Sendable {
    private struct State: Sendable {
        var count = 0
        var waiting: [Int: CheckedContinuation<Result<String, any Error>, Never>] = [:]
        var answers: [Int: Result<String, any Error>] = [:]
        var cancelled: Set<Int> = []
        var ranOnMainActor = false
    }

    private let state = Guarded(State())
    private let listens: Bool

    /// Creates loads.
    ///
    /// - Parameter listens: Whether they end with `CancellationError` when their task is cancelled, or are deaf to it.
    package init(listens: Bool = false) {
        self.listens = listens
    }

    /// How many were begun.
    package var count: Int { state.withLock { $0.count } }
    /// Whether one of them was begun as a part of the main actor's work.
    package var ranOnMainActor: Bool { state.withLock { $0.ranOnMainActor } }
    /// The loads, by number from 1, whose tasks were cancelled.
    package var cancelled: Set<Int> { state.withLock { $0.cancelled } }

    /// A load: waits for its answer.
    package func load() async throws -> String {
        // The isolation, and not the thread: where a caller asks for a load off its actor, Swift 6.3 may stay on the thread
        // because this function does not say that it leaves it.
        let isMain = #isolation === MainActor.shared
        let number = state.withLock { state in
            state.count += 1
            if isMain { state.ranOnMainActor = true }
            return state.count
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Result<String, any Error>? in
                    if let answer = state.answers[number] { return answer }
                    if listens, state.cancelled.contains(number) { return .failure(CancellationError()) }
                    state.waiting[number] = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                state.cancelled.insert(number)
                return listens ? state.waiting.removeValue(forKey: number) : nil
            }
            continuation?.resume(returning: .failure(CancellationError()))
        }
        return try result.get()
    }

    /// Lets a load, by number from 1, end.
    package func answer(_ number: Int, _ result: Result<String, any Error>) {
        let continuation = state.withLock { state in
            state.answers[number] = result
            return state.waiting.removeValue(forKey: number)
        }
        continuation?.resume(returning: result)
    }

    /// Lets a load, by number from 1, end with a text.
    package func answer(_ number: Int, _ text: String) { answer(number, .success(text)) }
}
