public import Hablare

/// How a request failed, in words for people, and whether to offer a retry.
public struct RequestFailure: Sendable, Hashable {
    /// What happened and what to do.
    public let message: String
    /// What went wrong.
    public let code: AIServiceError.Code
    /// Whether it can help to retry it.
    public let retry: RetryOffer
    /// What had come of the answer; `nil` where nothing did, or nobody read it.
    public internal(set) var partial: PartialText?

    /// Creates the view of an error.
    public init(_ error: AIServiceError, retry: RetryOffer? = nil, partial: PartialText? = nil) {
        message = ErrorMessage.standard(for: error)
        code = error.code
        self.retry = retry ?? RetryOffer(error)
        self.partial = partial
    }
}
