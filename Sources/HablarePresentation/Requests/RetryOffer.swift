public import Hablare

/// The kind of retry to offer for a request.
public enum RetryOffer: String, Sendable, Hashable, Codable, CaseIterable {
    /// No retry, because the same call would fail again.
    case none
    /// A retry without a change can help.
    case now
    /// A retry can help after the user has followed the advice in the message, for example by paying, setting a key or
    /// freeing space.
    case afterUserAction
    /// A retry can help. But the work may be done and billed twice, because the outcome of the last attempt is unknown.
    case mayRepeatWork

    /// Whether to offer a retry.
    public var isOffered: Bool { self != .none }

    /// Creates the offer for a failed request.
    public init(_ error: AIServiceError) {
        switch error.disposition {
        case .retry: self = .now
        case .needsUser: self = .afterUserAction
        case .outcomeUnknown: self = .mayRepeatWork
        case .fail:
            switch error.code {
            // A retry drops the passed deadline.
            case .deadlineExceeded: self = .now
            case .streamInterrupted: self = .mayRepeatWork
            default: self = .none
            }
        }
    }
}
