/// An item of a batch that could not be written, or a commit that failed.
public struct BatchFailure: Error, CustomStringConvertible {
    /// The item's place in the batch, from 0; `nil` where none is to blame: a commit failed, or the database as a whole.
    public let index: Int?
    /// How many items, from the first on, have had their turn and are committed. Where the batch stopped, this is where
    /// to go on.
    public let committed: Int
    /// What was thrown: often a `DatabaseError`.
    public let cause: any Error

    /// Creates a failure.
    public init(index: Int?, committed: Int, cause: any Error) {
        self.index = index
        self.committed = committed
        self.cause = cause
    }

    /// Which item, how many before it are safe, and the cause.
    public var description: String {
        let what =
            index.map { "Item \($0) of the batch could not be written" } ?? "A part of the batch was not committed"
        return "\(what). The first \(committed) are done; go on there once the cause is removed: \(cause)"
    }
}
