import Hablare
import HablareSupport

/// Loads whose ends and results a test decides.
package final class ScriptedLoads: Sendable {
    private struct State: Sendable {
        var count = 0
        var waiting: [Int: CheckedContinuation<Result<String, any Error>, Never>] = [:]
        var answers: [Int: Result<String, any Error>] = [:]
        var cancelled: Set<Int> = []
        var ranOnMainActor = false
    }

    private let state = Locked(State())
    private let listens: Bool

    /// Creates the loads.
    ///
    /// - Parameter listens: Whether a load ends with `CancellationError` when its task is cancelled. If `false`, a load
    ///   ignores a cancellation.
    package init(listens: Bool = false) {
        self.listens = listens
    }

    /// The number of loads that began.
    package var count: Int { state.withLock { $0.count } }
    /// Whether a load began on the main actor.
    package var ranOnMainActor: Bool { state.withLock { $0.ranOnMainActor } }
    /// The numbers of the loads whose tasks were cancelled. The first load has the number 1.
    package var cancelled: Set<Int> { state.withLock { $0.cancelled } }

    /// Begins a load. The load waits until the test ends it.
    package func load() async throws -> String {
        // Checks the isolation instead of the thread. If a caller starts a load off its actor, Swift 6.3 may stay on
        // the thread, because this function does not declare that it leaves it.
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

    /// Ends a load with a result. The first load has the number 1.
    package func answer(_ number: Int, _ result: Result<String, any Error>) {
        let continuation = state.withLock { state in
            state.answers[number] = result
            return state.waiting.removeValue(forKey: number)
        }
        continuation?.resume(returning: result)
    }

    /// Ends a load with a text. The first load has the number 1.
    package func answer(_ number: Int, _ text: String) { answer(number, .success(text)) }
}
