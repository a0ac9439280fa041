/// What is known of one item when its commit is over.
enum ActionVerdict: Sendable, Hashable {
    case done
    /// No attempt carried it out, and nothing speaks against it: it was looked for and not found, or the queue was stopped
    /// before anything was tried.
    case notApplied
    /// The queue was stopped meanwhile: that was no attempt, and whether it was carried out is not known.
    case interrupted
    case failed(String, isRetryable: Bool)
    case unknown(String, isRetryable: Bool = true)

    /// What an outcome says of an item.
    ///
    /// - Parameters:
    ///   - outcome: The committer's words.
    ///   - item: The item as it was given to the committer.
    ///   - isCancelled: Whether the commit was cancelled, which is how a shutdown ends it.
    init<Action: QueuedAction>(_ outcome: ActionOutcome, of item: ActionItem<Action>, isCancelled: Bool) {
        switch outcome {
        case .done: self = .done
        // Whatever error it is in which the shutdown comes back, it says nothing against the action.
        case .failed(_, isRetryable: true) where isCancelled: self = Self.stopped(item)
        // That this attempt failed says nothing of the one before, which may have carried it out.
        case .failed(let error, let isRetryable) where item.isRepeated:
            self = .unknown(Self.text(of: error), isRetryable: isRetryable)
        case .failed(let error, let isRetryable): self = .failed(Self.text(of: error), isRetryable: isRetryable)
        // What a shutdown interrupts may have been carried out, and was no attempt.
        case .unknown where isCancelled: self = .interrupted
        case .unknown(let error): self = .unknown(Self.text(of: error))
        }
    }

    /// What is to be said of an item that the queue was stopped before.
    static func stopped<Action: QueuedAction>(_ item: ActionItem<Action>) -> ActionVerdict {
        item.isRepeated ? .interrupted : .notApplied
    }

    /// An error in its own words, as many of them as a person reads.
    static func text(of error: any Error) -> String { String(String(describing: error).prefix(500)) }
}
