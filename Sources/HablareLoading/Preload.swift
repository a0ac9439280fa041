/// A handle that stops a preload. See ``CoalescingLoader/preload(_:)``.
public struct Preload: Sendable {
    private let stop: @Sendable () -> Void

    init(stop: @escaping @Sendable () -> Void) {
        self.stop = stop
    }

    /// Stops the preload of the keys whose values have not arrived, unless another caller waits for the key. Values
    /// that have arrived stay in memory and in the blob cache. Further calls have no effect.
    public func cancel() {
        stop()
    }
}
