/// The outcome of one item.
public enum ActionOutcome: Sendable {
    /// This attempt or an earlier attempt carried the item out.
    case done
    /// This attempt did not carry the item out. If the failure is retryable, the queue retries the item after a delay.
    /// Otherwise the item stays failed until the user decides.
    ///
    /// If the item is marked with ``ActionItem/isRepeated``, this outcome does not say what the earlier attempts did.
    /// The item's outcome stays unknown, and the next attempt is also marked as repeated. If you know that no attempt
    /// carried the item out, return `false` from ``ActionCommitter/wasApplied(_:)``.
    case failed(any Error, isRetryable: Bool)
    /// The item may have been carried out, because the answer was lost. The item is retried after a delay, with
    /// ``ActionItem/isRepeated`` set.
    case unknown(any Error)
}
