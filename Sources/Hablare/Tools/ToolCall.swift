/// A tool that a model wants called.
public struct ToolCall: Sendable, Hashable, Codable {
    /// The service's name of the call, which its result repeats.
    public var id: String
    /// Which tool.
    public var name: String
    /// With what. A model's own words: check them as any input from outside.
    public var arguments: ParameterValue

    /// Creates a call.
    public init(id: String, name: String, arguments: ParameterValue) {
        self.id = id
        self.name = name
        self.arguments = arguments
    }

    /// Calls as the text of ``AnswerMetadata/toolCalls``; `nil` for none.
    package static func metadata(_ calls: [ToolCall]) throws(AIServiceError) -> String? {
        try AnswerMetadata.text(of: calls)
    }
}

extension AIResponseData {
    /// The tools that the model wants called, in its order; empty where it wants none.
    ///
    /// - Throws: ``AIServiceError/Code/invalidResponse`` where the metadata is none of a provider's making.
    public var toolCalls: [ToolCall] {
        get throws(AIServiceError) { try list(in: AnswerMetadata.toolCalls) }
    }
}
