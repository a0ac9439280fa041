import Foundation

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
        guard !calls.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(calls), as: UTF8.self)
        } catch {
            throw AIServiceError(
                .invalidResponse, "The model asks for a tool with a number that is not finite. Ask it again.")
        }
    }
}

extension AIResponseData {
    /// The tools that the model wants called, in its order; empty where it wants none.
    ///
    /// - Throws: ``AIServiceError/Code/invalidResponse`` where the metadata is none of a provider's making.
    public var toolCalls: [ToolCall] {
        get throws(AIServiceError) {
            guard let text = metadata[AnswerMetadata.toolCalls] else { return [] }
            do {
                return try JSONDecoder().decode([ToolCall].self, from: Data(text.utf8))
            } catch {
                throw AIServiceError(
                    .invalidResponse, "What the answer says of tool calls cannot be read.", cause: "\(type(of: error))")
            }
        }
    }
}
