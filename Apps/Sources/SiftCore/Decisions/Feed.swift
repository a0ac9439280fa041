import Synchronization

/// Sends each element to every reader that listens at the time.
final class Feed<Element: Sendable>: Sendable {
    private struct State {
        var last = 0
        var readers: [Int: AsyncStream<Element>.Continuation] = [:]
    }

    private let state = Mutex(State())

    deinit { for reader in state.withLock({ Array($0.readers.values) }) { reader.finish() } }

    /// Returns the elements that are sent from now on. A reader that falls behind by more than 100 loses the oldest.
    func elements() -> AsyncStream<Element> {
        let (stream, reader) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(100))
        let number = state.withLock { state in
            state.last += 1
            state.readers[state.last] = reader
            return state.last
        }
        reader.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    private func remove(_ number: Int) {
        _ = state.withLock { $0.readers.removeValue(forKey: number) }
    }

    /// Sends an element.
    func send(_ element: Element) {
        for reader in state.withLock({ Array($0.readers.values) }) { reader.yield(element) }
    }
}
