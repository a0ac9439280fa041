/// A failure during the work of a ``FallbackLoader``, for a log or a metric.
public enum FallbackIncident: Sendable {
    /// The remote side failed, so the loader read the store.
    case remoteFailed(any Error)
    /// The remote resource could not be saved. It was delivered all the same.
    case saveFailed(any Error)
    /// The store could not be read either. The load threw a ``FallbackError``.
    case localFailed(any Error)
}
