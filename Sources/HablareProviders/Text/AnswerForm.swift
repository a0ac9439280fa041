import Hablare

/// In which form a language model's answer is given.
public enum AnswerForm: String, Sendable, Hashable {
    /// As text, also where a request has a schema.
    case text
    /// As a value tree: the whole answer is JSON. An answer that is no JSON is text.
    case structured

    var type: ContentType { self == .text ? .text : .structured }

    /// Whether the answer to a request is asked for as a stream, of a service that also answers whole: where somebody may
    /// read along. A stream costs more than a whole answer: accounts must be verified for it with some models, and not
    /// every server says what it used.
    func streams(_ request: AIRequest) -> Bool { request.streaming != nil && self == .text }
}
