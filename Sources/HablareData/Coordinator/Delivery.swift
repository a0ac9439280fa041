/// A pending merge of an expected response into a model.
///
/// Discarding this value changes nothing.
public struct Delivery: Sendable {
    private let end: @Sendable () -> Void

    init(_ number: Int, of deliveries: Deliveries) {
        end = { [weak deliveries] in deliveries?.cancel(number) }
    }

    /// Stops waiting for the response. The request continues. If the merge is complete, it is not undone. If the merge
    /// is in progress, it may fail with ``MergeError/Code/cancelled``, and ``AIDataCoordinator/merges`` reports this.
    public func cancel() { end() }
}
