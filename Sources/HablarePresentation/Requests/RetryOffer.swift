public import Hablare

/// Whether, and how, it can help to retry a request.
public enum RetryOffer: String, Sendable, Hashable, Codable, CaseIterable {
    /// It cannot: the same call will fail again.
    case none
    /// It can, as it is.
    case now
    /// It can, after somebody did what the message says: paid, set a key, made room.
    case afterUserAction
    /// It can, and the work may be done, and billed, twice: nobody knows what became of it.
    case mayRepeatWork

    /// Whether to offer it.
    public var isOffered: Bool { self != .none }

    /// What is offered for a request that failed.
    public init(_ error: AIServiceError) {
        switch error.disposition {
        case .retry: self = .now
        case .needsUser: self = .afterUserAction
        case .outcomeUnknown: self = .mayRepeatWork
        case .fail:
            switch error.code {
            // A deadline that has passed is dropped with the retry.
            case .deadlineExceeded: self = .now
            case .streamInterrupted: self = .mayRepeatWork
            default: self = .none
            }
        }
    }
}
