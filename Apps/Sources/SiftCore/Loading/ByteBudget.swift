import Synchronization

/// Bounds the memory of work in progress by its predicted bytes. Work that is larger than the whole budget runs alone.
///
/// Waiters are served in the order in which they came, so a large one is not overtaken for ever.
final class ByteBudget: Sendable {
    private struct Waiter {
        let number: Int
        let bytes: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var inFlight = 0
        var count = 0
        var last = 0
        var waiters: [Waiter] = []
        var cancelled: Set<Int> = []

        func admits(_ bytes: Int, limit: Int) -> Bool { count == 0 || bytes <= limit - inFlight }

        mutating func admit(_ bytes: Int) {
            inFlight += bytes
            count += 1
        }
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Creates a budget of this many bytes.
    init(_ limit: Int) { self.limit = limit }

    /// The predicted bytes and the number of the work in progress.
    var load: (bytes: Int, count: Int) { state.withLock { ($0.inFlight, $0.count) } }
    /// The number of pieces of work that wait.
    var waiting: Int { state.withLock { $0.waiters.count } }

    /// Runs work when there is room for it.
    ///
    /// - Throws: The errors of the work. `CancellationError` if the task is cancelled while it waits.
    func withBytes<R: Sendable>(_ bytes: Int, _ work: () async throws -> R) async throws -> R {
        let bytes = max(0, bytes)
        try await enter(bytes)
        defer { leave(bytes) }
        return try await work()
    }

    private func enter(_ bytes: Int) async throws {
        try Task.checkCancellation()
        let number = state.withLock { state -> Int? in
            if state.waiters.isEmpty, state.admits(bytes, limit: limit) {
                state.admit(bytes)
                return nil
            }
            state.last += 1
            return state.last
        }
        guard let number else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state -> Bool in
                    if state.cancelled.remove(number) != nil { return true }
                    state.waiters.append(Waiter(number: number, bytes: bytes, continuation: continuation))
                    return false
                }
                if isCancelled { return continuation.resume(throwing: CancellationError()) }
                // There may be room since the first look.
                serve()
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.waiters.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.waiters.remove(at: index)
            }
            waiter?.continuation.resume(throwing: CancellationError())
            serve()
        }
        state.withLock { _ = $0.cancelled.remove(number) }
    }

    private func leave(_ bytes: Int) {
        state.withLock { state in
            state.inFlight -= bytes
            state.count -= 1
        }
        serve()
    }

    private func serve() {
        let served = state.withLock { state -> [Waiter] in
            var served: [Waiter] = []
            while let next = state.waiters.first, state.admits(next.bytes, limit: limit) {
                state.admit(next.bytes)
                served.append(state.waiters.removeFirst())
            }
            return served
        }
        for waiter in served { waiter.continuation.resume() }
    }
}
