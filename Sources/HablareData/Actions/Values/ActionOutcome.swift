/// What came of one item.
public enum ActionOutcome: Sendable {
    /// It was carried out, now or by an earlier attempt.
    case done
    /// It was not carried out. A retryable failure is tried again after a while; another one is kept as failed until the
    /// person decides.
    case failed(any Error, isRetryable: Bool)
    /// It may have been carried out: the answer was lost. It is tried again after a while, with
    /// ``ActionItem/isRepeated`` set.
    case unknown(any Error)
}
