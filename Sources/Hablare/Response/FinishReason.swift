/// Why a model's answer ends. Providers may have words of their own.
public struct FinishReason: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    /// The word, as it stands in ``AnswerMetadata/finishReason``.
    public let rawValue: String
    /// Creates a reason by its word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The word.
    public var description: String { rawValue }

    /// It is complete.
    public static let stop = Self(rawValue: "stop")
    /// It was cut: it became longer than it may be.
    public static let length = Self(rawValue: "length")
    /// The model wants tools called.
    public static let toolCalls = Self(rawValue: "tool_calls")
    /// The model does not want to answer.
    public static let refusal = Self(rawValue: "refusal")
    /// The service does not want to pass the answer on, or not all of it.
    public static let contentFilter = Self(rawValue: "content_filter")
}

extension AIResponseData {
    /// Why the answer ends; `nil` where the provider does not say.
    public var finishReason: FinishReason? { metadata[AnswerMetadata.finishReason].map(FinishReason.init(rawValue:)) }
}
