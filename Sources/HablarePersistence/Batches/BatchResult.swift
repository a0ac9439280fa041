/// What became of each item of a batch.
public struct BatchResult<Output: Sendable>: Sendable {
    /// For each item, in the order of the batch, what writing it gave, or why it was left out.
    public let outcomes: [Result<Output, BatchFailure>]

    /// What was written.
    public var outputs: [Output] {
        outcomes.compactMap { outcome in
            if case .success(let output) = outcome { output } else { nil }
        }
    }

    /// What was left out, and why. Always empty where the batch stops at a failure.
    public var failures: [BatchFailure] {
        outcomes.compactMap { outcome in
            if case .failure(let failure) = outcome { failure } else { nil }
        }
    }
}
