/// The options of a batch.
///
/// ```swift
/// let options = BatchOptions(chunkSize: 100, onFailure: .skip, progress: { count in print(count, "notes") })
/// ```
public struct BatchOptions: Sendable {
    /// The treatment of an item that cannot be written.
    public enum Policy: Sendable, Hashable {
        /// The batch stops with a ``BatchFailure``, and nothing of the item's chunk is written.
        case stop
        /// The item is left out and named in the result; all else is written. A failure that does not concern one item,
        /// such as a full disk, still stops the batch.
        case skip
    }

    /// The number of items in one transaction, 1 or more; a smaller number counts as 1. Between two transactions,
    /// others can write and a cancellation takes effect. Default: 500. For example, 50 for large rows, so that other
    /// writers wait less.
    public var chunkSize: Int
    /// The treatment of an item that cannot be written. Default: ``Policy/stop``. For example, `.skip` for an import
    /// whose bad rows are listed afterwards.
    public var onFailure: Policy
    /// A closure that receives the number of processed items after each commit, not on the main actor. Default: none.
    /// For example, `{ count in print(count) }`.
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
