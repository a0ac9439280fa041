import Hablare

/// The form of a language model's answer.
public enum AnswerForm: String, Sendable, Hashable {
    /// Text, even if a request has a schema.
    case text
    /// A value tree: the whole answer is JSON. An answer that is not JSON is returned as text.
    case structured

    var type: ContentType { self == .text ? .text : .structured }

    /// Returns whether to request a stream from a service that can also answer whole. It does so only if the caller may
    /// stream, because a stream has disadvantages. Some models require a verified account for streams, and not every
    /// server reports a stream's usage.
    func streams(_ request: AIRequest) -> Bool { request.streaming != nil && self == .text }
}
