import Hablare

/// In which form a language model's answer is given.
public enum OpenAIAnswerForm: String, Sendable, Hashable {
    /// As text, also where a request has a schema.
    case text
    /// As a value tree: the whole answer is JSON.
    case structured

    var type: ContentType { self == .text ? .text : .structured }
}
