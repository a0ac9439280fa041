/// The result of one item after its commit has ended.
enum ActionVerdict: Sendable, Hashable {
    case done
    /// No attempt carried the item out, and a new attempt is possible. Either a lookup found that the item was not
    /// carried out, or the queue stopped before an attempt began.
    case notApplied
    /// The queue stopped during the commit, and the outcome is unknown. The interrupted commit does not count as an
    /// attempt.
    case interrupted
    case failed(String, isRetryable: Bool)
    case unknown(String, isRetryable: Bool = true)

    /// Creates the verdict for an outcome.
    ///
    /// - Parameters:
    ///   - outcome: The committer's outcome.
    ///   - item: The item that was passed to the committer.
    ///   - isCancelled: Whether the commit was cancelled. A shutdown cancels commits.
    init<Action: QueuedAction>(_ outcome: ActionOutcome, of item: ActionItem<Action>, isCancelled: Bool) {
        switch outcome {
        case .done: self = .done
        // Any retryable error during a shutdown may come from the shutdown itself, so it does not count against the
        // action.
        case .failed(_, isRetryable: true) where isCancelled: self = Self.stopped(item)
        // This attempt failed, and an earlier one may still have carried the item out.
        case .failed(let error, let isRetryable) where item.isRepeated:
            self = .unknown(Self.text(of: error), isRetryable: isRetryable)
        case .failed(let error, let isRetryable): self = .failed(Self.text(of: error), isRetryable: isRetryable)
        // An interrupted commit may have carried the item out, and does not count as an attempt.
        case .unknown where isCancelled: self = .interrupted
        case .unknown(let error): self = .unknown(Self.text(of: error))
        }
    }

    /// Returns the verdict for an item that was not attempted because the queue stopped.
    static func stopped<Action: QueuedAction>(_ item: ActionItem<Action>) -> ActionVerdict {
        item.isRepeated ? .interrupted : .notApplied
    }

    /// Returns an error's description, shortened to 500 characters.
    static func text(of error: any Error) -> String { String(String(describing: error).prefix(500)) }
}
