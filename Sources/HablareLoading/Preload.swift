/// A handle that stops a preload. See ``CoalescingLoader/preload(_:)``.
public struct Preload: Sendable {
    private let stop: @Sendable () -> Void

    init(stop: @escaping @Sendable () -> Void) {
        self.stop = stop
    }

    /// Stops loading the keys that have not arrived and that no other caller wants. Values that have arrived stay.
    /// Further calls do nothing.
    public func cancel() {
        stop()
    }
}
