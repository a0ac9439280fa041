public import Hablare

/// A request's life as something to look at.
///
/// ``RequestStatusPresenter`` makes it of what the engine tells, and ``RequestStatusModel`` keeps it up to date for a view.
public enum RequestViewState: Sendable, Hashable {
    /// Nothing is known of it yet.
    case idle
    /// It is on disk, and waits; and why.
    case waiting(RequestWaiting)
    /// It is with its provider; how far it is, between 0 and 1 where the provider says, and what has come of it.
    case running(progress: Double?, partial: PartialText?)
    /// It was answered; its text, where it is shown, is there.
    case done(RequestResult)
    /// It failed; or it was answered, and the answer is not kept any more.
    case failed(RequestFailure)
    /// Somebody cancelled it.
    case cancelled

    /// Creates the view of a snapshot: all that a list of requests needs.
    public init(_ snapshot: RequestSnapshot) {
        switch snapshot.phase {
        case .pending: self = .waiting(RequestWaiting(snapshot.waiting))
        case .executing: self = .running(progress: nil, partial: nil)
        case .completed: self = .done(RequestResult(snapshot))
        case .failed: self = .failed(RequestFailure(snapshot.error ?? Self.unrecorded))
        case .cancelled: self = .cancelled
        }
    }

    /// Whether nothing happens any more, unless somebody retries it: not the last state to show, but for ``done(_:)``.
    public var isFinal: Bool {
        switch self {
        case .idle, .waiting, .running: false
        case .done, .failed, .cancelled: true
        }
    }

    /// Whether it can help to retry it, and how.
    public var retry: RetryOffer {
        switch self {
        case .idle, .running, .done: .none
        case .waiting(let waiting): waiting.retry
        case .failed(let failure): failure.retry
        case .cancelled: .now
        }
    }

    /// Whether to offer a retry. Forbids none: ``RequestStatusModel/retry()`` asks for it anyway.
    public var canRetry: Bool { retry.isOffered }

    /// Whether to offer a cancellation: it waits or runs.
    public var canCancel: Bool {
        switch self {
        case .waiting, .running: true
        case .idle, .done, .failed, .cancelled: false
        }
    }

    private static let unrecorded = AIServiceError(.providerFailed, "The reason is not recorded.")
}
