#if os(macOS) || os(Linux)
import Hablare

/// Lets so many in at once, the others in the order they came.
final class ProcessGate: Sendable {
    private struct State: Sendable {
        var free: Int
        var nextTicket = 0
        var waiting: [(ticket: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private let state: Guarded<State>

    /// Creates a gate for at least one.
    init(capacity: Int) {
        state = Guarded(State(free: max(1, capacity)))
    }

    /// Waits for a place.
    ///
    /// - Returns: Whether there is a place, to be given back with ``leave()``. `false`: the task was cancelled.
    func enter() async -> Bool {
        let ticket = state.withLock { state -> Int? in
            if state.free > 0 {
                state.free -= 1
                return nil
            }
            state.nextTicket += 1
            return state.nextTicket
        }
        guard let ticket else { return true }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let entersNow = state.withLock { state in
                    guard state.free == 0 else {
                        state.free -= 1
                        return true
                    }
                    state.waiting.append((ticket, continuation))
                    return false
                }
                if entersNow {
                    continuation.resume(returning: true)
                } else if Task.isCancelled {
                    giveUp(ticket)  // the handler came before us
                }
            }
        } onCancel: {
            giveUp(ticket)
        }
    }

    /// Gives a place back.
    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume(returning: true)
    }

    private func giveUp(_ ticket: Int) {
        let continuation = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
            return state.waiting.remove(at: index).continuation
        }
        continuation?.resume(returning: false)
    }
}
#endif
