/// The outcomes of the items in a batch.
public struct BatchResult<Output: Sendable>: Sendable {
    /// The outcome of each item, in the order of the batch. An outcome is the result of writing the item, or the
    /// failure of an item that was left out.
    public let outcomes: [Result<Output, BatchFailure>]

    /// The results of the items that were written.
    public var outputs: [Output] {
        outcomes.compactMap { outcome in
            if case .success(let output) = outcome { output } else { nil }
        }
    }

    /// The failures of the items that were left out. Empty if the policy is to stop at a failure.
    public var failures: [BatchFailure] {
        outcomes.compactMap { outcome in
            if case .failure(let failure) = outcome { failure } else { nil }
        }
    }
}
