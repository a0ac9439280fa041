/// A failure in a ``FallbackLoader``, for a log or a metric.
public enum FallbackIncident: Sendable {
    /// The remote source failed, so the loader read the store.
    case remoteFailed(any Error)
    /// The remote resource could not be saved. The loader still returned it.
    case saveFailed(any Error)
    /// The store could not be read, and the remote source had failed. The loader threw a ``FallbackError``.
    case localFailed(any Error)
}
