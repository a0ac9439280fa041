/// What stops a preload. See ``CoalescingLoader/preload(_:)``.
public struct Preload: Sendable {
    private let stop: @Sendable () -> Void

    init(stop: @escaping @Sendable () -> Void) {
        self.stop = stop
    }

    /// Stops loading what has not come yet and nobody else wants. What has come stays. Doing so again does nothing.
    public func cancel() {
        stop()
    }
}
