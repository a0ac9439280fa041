/// What came of one item.
public enum ActionOutcome: Sendable {
    /// It was carried out, now or by an earlier attempt.
    case done
    /// This attempt did not carry it out. A retryable failure is tried again after a while; another one is kept as failed
    /// until the person decides.
    ///
    /// Of a repetition (``ActionItem/isRepeated``) it says nothing about the attempts before: the item stays uncertain, and
    /// is marked as repeated the next time, too. Where you know that no attempt carried it out, say so in
    /// ``ActionCommitter/wasApplied(_:)``.
    case failed(any Error, isRetryable: Bool)
    /// It may have been carried out: the answer was lost. It is tried again after a while, with
    /// ``ActionItem/isRepeated`` set.
    case unknown(any Error)
}
