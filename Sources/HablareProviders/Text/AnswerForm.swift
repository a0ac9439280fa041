import Hablare

/// The form of a language model's answer.
public enum AnswerForm: String, Sendable, Hashable {
    /// Text, even if a request has a schema.
    case text
    /// A JSON value. The whole answer is JSON. If an answer is not JSON, it is returned as text.
    case structured

    var type: ContentType { self == .text ? .text : .structured }

    /// Returns whether to request a stream from a service that can also send the whole answer at once.
    ///
    /// A stream is requested only if the request streams and the answer is text. A stream has two disadvantages: some
    /// models require a verified account for streams, and some servers do not report a stream's usage.
    func streams(_ request: AIRequest) -> Bool { request.streaming != nil && self == .text }
}
