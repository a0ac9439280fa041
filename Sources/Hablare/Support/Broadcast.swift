/// Tells everybody who listens at the moment the same things, from any thread.
package final class Broadcast<Element: Sendable>: Sendable {
    private struct State: Sendable {
        var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
        var order: [Int] = []
        var last = 0
    }

    private let state = Guarded(State())
    private let limit: Int

    /// - Parameter limit: How many elements wait for a listener who is slow; of more, the oldest are lost to it.
    package init(limit: Int = .max) {
        self.limit = limit
    }

    deinit {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.finish() }
    }

    /// What is told from now on. Ends when the reading task is cancelled, and with the broadcast.
    package func elements() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: limit == .max ? .unbounded : .bufferingNewest(limit))
        let number = state.withLock { state in
            state.last += 1
            state.listeners[state.last] = continuation
            state.order.append(state.last)
            return state.last
        }
        continuation.onTermination = { [weak self] _ in self?.left(number) }
        return stream
    }

    /// Tells all who listen, in the order in which they began to.
    package func tell(_ element: Element) {
        let listeners = state.withLock { state in state.order.compactMap { state.listeners[$0] } }
        for listener in listeners { listener.yield(element) }
    }

    private func left(_ number: Int) {
        state.withLock { state in
            state.listeners[number] = nil
            state.order.removeAll { $0 == number }
        }
    }
}
