/// The status of a request.
///
/// `completed`, `failed` and `cancelled` are final. Only an explicit retry can reopen a failed or cancelled request.
/// After such a retry, the request keeps its UUID.
public enum RequestStatus: Sendable, Hashable {
    /// The request is on disk, and no attempt is in flight. ``RequestSnapshot/waiting`` gives the reason.
    case pending
    /// An attempt is in flight. The progress is between 0 and 1, or `nil` if the provider does not report it.
    case executing(progress: Double?)
    /// The request was completed with a response.
    case completed(AIResponseData)
    /// The request failed permanently.
    case failed(AIServiceError)
    /// A caller cancelled the request.
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
    /// The request is on disk and waits, as in ``RequestStatus/pending``.
    case pending
    /// An attempt is in flight, as in ``RequestStatus/executing(progress:)``.
    case executing
    /// The request is completed, as in ``RequestStatus/completed(_:)``.
    case completed
    /// The request failed permanently, as in ``RequestStatus/failed(_:)``.
    case failed
    /// The request was cancelled, as in ``RequestStatus/cancelled``.
    case cancelled
}

extension RequestPhase {
    package var isFinal: Bool {
        switch self {
        case .pending, .executing: false
        case .completed, .failed, .cancelled: true
        }
    }

    /// Creates the phase of a request from its own state and the state of its flight.
    public init(_ member: RequestLifecycle.State, _ flight: FlightLifecycle) {
        switch member {
        case .live: self = flight.isExecuting ? .executing : .pending
        case .completed: self = .completed
        case .failed: self = .failed
        case .cancelled: self = .cancelled
        }
    }
}
