public import Hablare

/// The failure of a request, described for users, with the kind of retry to offer.
public struct RequestFailure: Sendable, Hashable {
    /// A description of the problem and what the user can do about it.
    public let message: String
    /// The error's code.
    public let code: AIServiceError.Code
    /// The kind of retry to offer.
    public let retry: RetryOffer
    /// The part of the answer that arrived. `nil` if nothing arrived or if the stream was not read.
    public internal(set) var partial: PartialText?

    /// Creates the failure to show for an error.
    public init(_ error: AIServiceError, retry: RetryOffer? = nil, partial: PartialText? = nil) {
        message = ErrorMessage.standard(for: error)
        code = error.code
        self.retry = retry ?? RetryOffer(error)
        self.partial = partial
    }
}
