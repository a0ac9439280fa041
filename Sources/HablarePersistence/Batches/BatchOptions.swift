/// How a batch is written.
public struct BatchOptions: Sendable {
    /// What becomes of a batch when one of its items cannot be written.
    public enum Policy: Sendable, Hashable {
        /// The batch stops with a ``BatchFailure``, and nothing of the item's chunk is written.
        case stop
        /// The item is left out and named in the result; all else is written. A failure that is not of one item, such as a
        /// full disk, stops the batch all the same.
        case skip
    }

    /// How many items are written in one transaction, 1 or more (less is taken for that). Between two, others write, and
    /// a cancellation takes effect. Default: 500.
    public var chunkSize: Int
    /// What becomes of a batch when one of its items cannot be written. Default: ``Policy/stop``.
    public var onFailure: Policy
    /// Told after each commit how many items have had their turn; not on the main actor. Default: nothing.
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
