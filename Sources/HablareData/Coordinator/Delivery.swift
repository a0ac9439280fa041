/// A pending merge of an expected response into a model.
///
/// Discarding this value changes nothing.
public struct Delivery: Sendable {
    private let end: @Sendable () -> Void

    init(_ number: Int, of deliveries: Deliveries) {
        end = { [weak deliveries] in deliveries?.cancel(number) }
    }

    /// Ends the wait. The request continues. A completed merge is not undone. A merge in progress may fail with
    /// ``MergeError/Code/cancelled``, which ``AIDataCoordinator/merges`` reports.
    public func cancel() { end() }
}
