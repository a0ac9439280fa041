import Observation

extension PhotoSwipeViewModel {
    /// Returns the values that a closure reads from the model: the present one, and then the newest after each change.
    ///
    /// A view that cannot observe the model follows it by this sequence: `model.changes { $0.currentPhoto }`.
    /// `MainPublisher.elements` makes a publisher of it.
    ///
    /// - Parameter value: Reads one or more properties.
    /// - Returns: A sequence for one reader. It ends when the reader's task is cancelled or the model is released.
    public func changes<Value: Sendable & Equatable>(
        of value: @escaping @MainActor @Sendable (PhotoSwipeViewModel) -> Value
    ) -> AsyncStream<Value> {
        let reader = ChangeReader(self, value)
        return AsyncStream { await reader.next() }
    }
}

/// Reads a value of a model after each change.
@MainActor
private final class ChangeReader<Value: Sendable & Equatable> {
    private weak var model: PhotoSwipeViewModel?
    private let read: @MainActor @Sendable (PhotoSwipeViewModel) -> Value
    private let change: AsyncStream<Void>.Continuation
    private let changes: AsyncStream<Void>
    private var last: Value?

    init(_ model: PhotoSwipeViewModel, _ read: @escaping @MainActor @Sendable (PhotoSwipeViewModel) -> Value) {
        self.model = model
        self.read = read
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        (self.changes, self.change) = (changes, change)
    }

    deinit { change.finish() }

    func next() async -> Value? {
        var changes = changes.makeAsyncIterator()
        while true {
            if last != nil { guard await changes.next(isolation: #isolation) != nil else { return nil } }
            guard let model else { return nil }
            // The change is announced before it is made. The reader runs after it, because both are on the main actor.
            let value = withObservationTracking {
                read(model)
            } onChange: { [change] in
                change.yield()
            }
            guard value != last else { continue }
            last = value
            return value
        }
    }
}
