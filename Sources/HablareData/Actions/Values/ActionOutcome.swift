/// The outcome of one item.
public enum ActionOutcome: Sendable {
    /// The item was carried out, now or by an earlier attempt.
    case done
    /// This attempt did not carry the item out. A retryable failure is retried after a delay. Any other failure is kept
    /// as failed until the user decides.
    ///
    /// For a repetition (``ActionItem/isRepeated``), this outcome does not tell what the earlier attempts did. The item
    /// stays uncertain, and is marked as repeated the next time, too. If you know that no attempt carried the item out,
    /// return `false` from ``ActionCommitter/wasApplied(_:)``.
    case failed(any Error, isRetryable: Bool)
    /// The item may have been carried out, because the answer was lost. It is retried after a delay, with
    /// ``ActionItem/isRepeated`` set.
    case unknown(any Error)
}
