/// What went wrong while a ``FallbackLoader`` worked, and did not keep it from answering: for a log or a metric.
public enum FallbackIncident: Sendable {
    /// The remote side failed, and the store was asked.
    case remoteFailed(any Error)
    /// What the remote side brought could not be saved; it was delivered all the same.
    case saveFailed(any Error)
    /// The store could not be read either. The load threw a ``FallbackError``.
    case localFailed(any Error)
}
