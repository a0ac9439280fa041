/// The outcome of one item.
public enum ActionOutcome: Sendable {
    /// The item was carried out, by this attempt or by an earlier attempt.
    case done
    /// This attempt did not carry the item out. A retryable failure is retried after a delay. After any other failure,
    /// the item stays failed until the user decides.
    ///
    /// For a repeated item (``ActionItem/isRepeated``), this outcome does not say what the earlier attempts did. The
    /// item's outcome stays unknown, and the next attempt is also marked as repeated. If you know that no attempt
    /// carried the item out, return `false` from ``ActionCommitter/wasApplied(_:)``.
    case failed(any Error, isRetryable: Bool)
    /// The item may have been carried out, because the answer was lost. The item is retried after a delay, with
    /// ``ActionItem/isRepeated`` set.
    case unknown(any Error)
}
