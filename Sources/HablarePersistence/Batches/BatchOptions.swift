/// The options of a batch.
///
/// ```swift
/// let options = BatchOptions(chunkSize: 100, onFailure: .skip, progress: { count in print(count, "notes") })
/// ```
public struct BatchOptions: Sendable {
    /// The action for an item that cannot be written.
    public enum Policy: Sendable, Hashable {
        /// The batch stops with a ``BatchFailure``. Nothing in the item's chunk is written.
        case stop
        /// The batch leaves the item out and reports it in the result. All other items are written. If a failure does
        /// not concern a single item, such as a full disk, the batch still stops.
        case skip
    }

    /// The number of items in one transaction. A number below 1 counts as 1. Default: 500.
    ///
    /// Between two transactions, other writers can write, and a cancellation takes effect. For example, use 50 for
    /// large rows, so that other writers wait for a shorter time.
    public var chunkSize: Int
    /// The action for an item that cannot be written. Default: ``Policy/stop``. For example, use `.skip` for an import
    /// that lists its bad rows at the end.
    public var onFailure: Policy
    /// A closure that receives the number of processed items after each commit. It does not run on the main actor.
    /// Default: none. For example, `{ count in print(count) }`.
    public var progress: (@Sendable (_ count: Int) -> Void)?

    /// Creates options.
    public init(
        chunkSize: Int = 500, onFailure: Policy = .stop, progress: (@Sendable (_ count: Int) -> Void)? = nil
    ) {
        self.chunkSize = chunkSize
        self.onFailure = onFailure
        self.progress = progress
    }
}
