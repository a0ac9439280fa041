public import Hablare

/// The state of a request for a view.
///
/// ``RequestStatusPresenter`` creates it from the engine's statuses. ``RequestStatusModel`` keeps it up to date.
public enum RequestViewState: Sendable, Hashable {
    /// The state is not known yet.
    case idle
    /// The request is on disk and waits. The value says why.
    case waiting(RequestWaiting)
    /// The provider is working on the request. `progress` is between 0 and 1, if the provider reports it. `partial` is
    /// the streamed part of the answer.
    case running(progress: Double?, partial: PartialText?)
    /// The request was answered. If the view shows text, the result contains the text.
    case done(RequestResult)
    /// The request failed, or its answer was evicted.
    case failed(RequestFailure)
    /// The request was cancelled.
    case cancelled

    /// Creates the state from a snapshot of the request. For a list of requests, snapshots are enough.
    public init(_ snapshot: RequestSnapshot) {
        switch snapshot.phase {
        case .pending: self = .waiting(RequestWaiting(snapshot.waiting))
        case .executing: self = .running(progress: nil, partial: nil)
        case .completed: self = .done(RequestResult(snapshot))
        case .failed: self = .failed(RequestFailure(snapshot.error ?? Self.unrecorded))
        case .cancelled: self = .cancelled
        }
    }

    /// Whether the request has ended, so that the state changes only after an explicit retry. The state ``done(_:)``
    /// cannot change.
    public var isFinal: Bool {
        switch self {
        case .idle, .waiting, .running: false
        case .done, .failed, .cancelled: true
        }
    }

    /// The kind of retry to offer.
    public var retry: RetryOffer {
        switch self {
        case .idle, .running, .done: .none
        case .waiting(let waiting): waiting.retry
        case .failed(let failure): failure.retry
        case .cancelled: .now
        }
    }

    /// Whether to offer a retry. ``RequestStatusModel/retry()`` does not check this property.
    public var canRetry: Bool { retry.isOffered }

    /// Whether to offer a cancellation. `true` while the request waits or runs.
    public var canCancel: Bool {
        switch self {
        case .waiting, .running: true
        case .idle, .done, .failed, .cancelled: false
        }
    }

    private static let unrecorded = AIServiceError(.providerFailed, "The reason is not recorded.")
}
