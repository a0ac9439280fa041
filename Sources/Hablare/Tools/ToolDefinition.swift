/// A function that a model may ask to be called.
///
/// The app calls it, not the model: the answer says which tools it wants (``AIResponseData/toolCalls``), the app calls
/// them, and asks again with their results in the conversation (``Prompt/Part/toolResult(id:content:)``).
public struct ToolDefinition: Sendable, Hashable, Codable {
    /// Its name: 1 to 64 letters, digits, `_` and `-`.
    public var name: String
    /// What it does and when to use it, for the model.
    public var description: String
    /// Its arguments, as a JSON schema of an object.
    public var parameters: ParameterValue

    /// Creates a tool.
    public init(name: String, description: String = "", parameters: ParameterValue = ["type": "object"]) {
        self.name = name
        self.description = description
        self.parameters = parameters
    }

    /// The parameter of a request in which its tools stand.
    public static let parameterName = "tools"

    /// Tools as the value of that parameter.
    public static func parameter(_ tools: [ToolDefinition]) -> ParameterValue {
        .array(
            tools.map { tool in
                ["name": .string(tool.name), "description": .string(tool.description), "parameters": tool.parameters]
            })
    }

    /// Reads the value of that parameter.
    ///
    /// - Throws: ``AIServiceError/Code/invalidRequest`` where it is no list of tools, or one has no proper name, or two
    ///   have the same.
    public static func tools(in value: ParameterValue) throws(AIServiceError) -> [ToolDefinition] {
        guard case .array(let entries) = value else { throw refusal("is no list") }
        var names: Set<String> = []
        var tools: [ToolDefinition] = []
        for entry in entries {
            guard case .object(let members) = entry, case .string(let name)? = members["name"] else {
                throw refusal("has an entry without a name")
            }
            guard isName(name) else {
                throw refusal("has a name that is none: use 1 to 64 letters, digits, _ and -")
            }
            guard names.insert(name).inserted else { throw refusal("names \(name) twice") }
            var tool = ToolDefinition(name: name)
            if case .string(let text)? = members["description"] { tool.description = text }
            if let schema = members["parameters"] {
                guard case .object = schema else { throw refusal("has a tool \(name) whose parameters are no schema") }
                tool.parameters = schema
            }
            tools.append(tool)
        }
        return tools
    }

    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private static func refusal(_ reason: String) -> AIServiceError {
        AIServiceError(
            .invalidRequest,
            "The parameter \(parameterName) \(reason). It is a list of objects with name, description and parameters, a JSON schema."
        )
    }
}

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
