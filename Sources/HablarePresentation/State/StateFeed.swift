/// Hands a state to whoever listens: the present one first, then the newest, as fast as they take it.
@MainActor
final class StateFeed<State: Sendable> {
    private var listeners: [AsyncStream<State>.Continuation] = []

    deinit {
        for listener in listeners { listener.finish() }
    }

    /// Begins to listen. Ends with the feed.
    func states(from present: State) -> AsyncStream<State> {
        let (stream, listener) = AsyncStream.makeStream(of: State.self, bufferingPolicy: .bufferingNewest(1))
        listener.yield(present)
        listeners.append(listener)
        return stream
    }

    /// Tells all listeners. Those that do not listen any more are let go.
    func tell(_ state: State) {
        listeners.removeAll { listener in
            if case .terminated = listener.yield(state) { true } else { false }
        }
    }
}
