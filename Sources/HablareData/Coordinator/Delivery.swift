/// A merge into a model that waits for its response.
///
/// Dropping it changes nothing.
public struct Delivery: Sendable {
    private let end: @Sendable () -> Void

    init(_ number: Int, of deliveries: Deliveries) {
        end = { [weak deliveries] in deliveries?.cancel(number) }
    }

    /// Ends the wait; the request goes on. What is merged by now stays, and one that was about to be merged may fail, as
    /// ``AIDataCoordinator/merges`` then tells, with ``MergeError/Code/cancelled``.
    public func cancel() { end() }
}
