/// Where a request is in its life.
///
/// `completed`, `failed` and `cancelled` are final: nothing moves a request out of them, except that a failed or
/// cancelled one may be retried explicitly, which is recorded as a new attempt under the same UUID.
public enum RequestStatus: Sendable, Hashable {
    /// On disk, not yet sent to its provider. ``RequestSnapshot/waiting`` says why.
    case pending
    /// With its provider; progress between 0 and 1 where the provider reports it.
    case executing(progress: Double?)
    /// Answered.
    case completed(AIResponseData)
    /// Failed for good.
    case failed(AIServiceError)
    /// Cancelled by somebody's word.
    case cancelled

    /// Whether the status is `completed`, `failed` or `cancelled`.
    public var isFinal: Bool {
        switch self {
        case .pending, .executing: false
        case .completed, .failed, .cancelled: true
        }
    }

    /// The status without what it carries.
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

/// A status without what it carries, for filters and counts.
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

    /// The phase of a member in the given state, whose flight is in the given one.
    public init(_ member: RequestLifecycle.State, _ flight: FlightLifecycle) {
        switch member {
        case .live: self = flight.isExecuting ? .executing : .pending
        case .completed: self = .completed
        case .failed: self = .failed
        case .cancelled: self = .cancelled
        }
    }
}
