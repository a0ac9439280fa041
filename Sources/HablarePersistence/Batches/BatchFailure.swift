/// The failure of a batch: an item could not be written, or a commit failed.
public struct BatchFailure: Error, CustomStringConvertible {
    /// The index of the failed item in the batch, from 0. `nil` if a commit or the whole database failed, and not a
    /// single item.
    public let index: Int?
    /// The number of items at the beginning of the batch that were committed. To continue a stopped batch, begin at
    /// this index.
    public let committed: Int
    /// The error that was thrown. Often a `DatabaseError`.
    public let cause: any Error

    /// Creates a failure.
    public init(index: Int?, committed: Int, cause: any Error) {
        self.index = index
        self.committed = committed
        self.cause = cause
    }

    /// The failed item, the number of committed items, and the cause.
    public var description: String {
        let what =
            index.map { "Item \($0) of the batch could not be written" } ?? "Some items of the batch were not committed"
        return
            "\(what). The first \(committed) items are committed. Remove the cause, then continue at item \(committed): \(cause)"
    }
}
