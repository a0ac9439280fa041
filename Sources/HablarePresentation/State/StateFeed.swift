/// A feed that sends states to its listeners. A listener first gets the current state. After that, each read returns
/// the newest state.
@MainActor
final class StateFeed<State: Sendable> {
    private var listeners: [AsyncStream<State>.Continuation] = []

    deinit {
        for listener in listeners { listener.finish() }
    }

    /// Adds a listener. The listener's sequence ends when the feed is released.
    func states(from present: State) -> AsyncStream<State> {
        let (stream, listener) = AsyncStream.makeStream(of: State.self, bufferingPolicy: .bufferingNewest(1))
        listener.yield(present)
        listeners.append(listener)
        return stream
    }

    /// Sends a state to all listeners, and removes those that have ended.
    func publish(_ state: State) {
        listeners.removeAll { listener in
            if case .terminated = listener.yield(state) { true } else { false }
        }
    }
}
