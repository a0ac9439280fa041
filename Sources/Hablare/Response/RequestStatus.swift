/// The state of a request's life.
///
/// `completed`, `failed` and `cancelled` are final. A request leaves a final state only if it failed or was cancelled
/// and is retried explicitly. The retry is recorded as a new attempt under the same UUID.
public enum RequestStatus: Sendable, Hashable {
    /// On disk and not yet sent to the provider. ``RequestSnapshot/waiting`` gives the reason.
    case pending
    /// With the provider. The progress is between 0 and 1, or `nil` if the provider does not report it.
    case executing(progress: Double?)
    /// Completed with a response.
    case completed(AIResponseData)
    /// Failed for good.
    case failed(AIServiceError)
    /// Cancelled by a caller.
    case cancelled

    /// Whether the status is `completed`, `failed` or `cancelled`.
    public var isFinal: Bool {
        switch self {
        case .pending, .executing: false
        case .completed, .failed, .cancelled: true
        }
    }

    /// The status without its associated value.
    public var phase: RequestPhase {
        switch self {
        case .pending: .pending
        case .executing: .executing
        case .completed: .completed
        case .failed: .failed
        case .cancelled: .cancelled
        }
    }
}

/// A status without its associated value, for filters and counts.
public enum RequestPhase: String, Sendable, Hashable, Codable, CaseIterable {
    /// See ``RequestStatus/pending``.
    case pending
    /// See ``RequestStatus/executing(progress:)``.
    case executing
    /// See ``RequestStatus/completed(_:)``.
    case completed
    /// See ``RequestStatus/failed(_:)``.
    case failed
    /// See ``RequestStatus/cancelled``.
    case cancelled
}

extension RequestPhase {
    package var isFinal: Bool {
        switch self {
        case .pending, .executing: false
        case .completed, .failed, .cancelled: true
        }
    }

    /// Creates the phase of a member in the given state, whose flight is in the given state.
    public init(_ member: RequestLifecycle.State, _ flight: FlightLifecycle) {
        switch member {
        case .live: self = flight.isExecuting ? .executing : .pending
        case .completed: self = .completed
        case .failed: self = .failed
        case .cancelled: self = .cancelled
        }
    }
}
