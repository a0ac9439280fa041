/// A handle that stops a preload. See ``CoalescingLoader/preload(_:)``.
public struct Preload: Sendable {
    private let stop: @Sendable () -> Void

    init(stop: @escaping @Sendable () -> Void) {
        self.stop = stop
    }

    /// Stops the preload of keys whose values have not arrived and that no other caller wants. Values that have arrived
    /// are kept. Further calls do nothing.
    public func cancel() {
        stop()
    }
}
