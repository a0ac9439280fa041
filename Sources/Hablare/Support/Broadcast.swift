import HablareSupport

/// Sends the same elements to all current subscribers. Any thread may send an element.
package final class Broadcast<Element: Sendable>: Sendable {
    private struct State: Sendable {
        var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
        var order: [Int] = []
        var last = 0
    }

    private let state = Locked(State())
    private let limit: Int

    /// Creates a broadcast.
    ///
    /// - Parameter limit: The maximum number of elements that are buffered for a slow subscriber. If more elements
    ///   arrive, the subscriber loses the oldest elements.
    package init(limit: Int = .max) {
        self.limit = limit
    }

    deinit {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.finish() }
    }

    /// Subscribes to the elements that are published from now on. The stream ends when the reading task is cancelled,
    /// and when the broadcast is released.
    ///
    /// - Parameter first: An element that only this subscriber receives, before all other elements. Default: none.
    package func elements(startingWith first: Element? = nil) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: limit == .max ? .unbounded : .bufferingNewest(limit))
        if let first { continuation.yield(first) }
        let number = state.withLock { state in
            state.last += 1
            state.listeners[state.last] = continuation
            state.order.append(state.last)
            return state.last
        }
        continuation.onTermination = { [weak self] _ in self?.left(number) }
        return stream
    }

    /// Sends an element to all subscribers, in the order of their subscriptions.
    package func publish(_ element: Element) {
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
