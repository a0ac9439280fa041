/// A function of the app that a model may request to call.
///
/// The model only requests the call. The app makes the call. The model's answer names the tools to call
/// (``AIResponseData/toolCalls``). The app calls these tools, adds their results to the conversation
/// (``Prompt/Part/toolResult(id:content:)``), and sends the conversation to the model again.
public struct ToolDefinition: Sendable, Hashable, Codable {
    /// The name of the tool: 1 to 64 letters, digits, `_` and `-`.
    public var name: String
    /// A description for the model: the purpose of the tool, and when to use it.
    public var description: String
    /// The arguments of the tool, as a JSON schema of an object.
    public var parameters: ParameterValue

    /// Creates a tool.
    public init(name: String, description: String = "", parameters: ParameterValue = ["type": "object"]) {
        self.name = name
        self.description = description
        self.parameters = parameters
    }

    /// The name of the request parameter that contains the tools.
    public static let parameterName = "tools"

    /// Returns tools as the value of the request parameter ``parameterName``.
    public static func parameter(_ tools: [ToolDefinition]) -> ParameterValue {
        .array(
            tools.map { tool in
                ["name": .string(tool.name), "description": .string(tool.description), "parameters": tool.parameters]
            })
    }

    /// Returns the tools in the value of the request parameter ``parameterName``.
    ///
    /// - Throws: ``AIServiceError/Code/invalidRequest`` if the value is not a list of tools, a name is not valid, or
    ///   two tools have the same name.
    public static func tools(in value: ParameterValue) throws(AIServiceError) -> [ToolDefinition] {
        guard case .array(let entries) = value else { throw refusal("is not a list") }
        var names: Set<String> = []
        var tools: [ToolDefinition] = []
        for entry in entries {
            guard case .object(let members) = entry, case .string(let name)? = members["name"] else {
                throw refusal("has an entry without a name")
            }
            guard isName(name) else {
                throw refusal("has an invalid name: use 1 to 64 letters, digits, _ and -")
            }
            guard names.insert(name).inserted else { throw refusal("names \(name) twice") }
            var tool = ToolDefinition(name: name)
            if case .string(let text)? = members["description"] { tool.description = text }
            if let schema = members["parameters"] {
                guard case .object = schema else {
                    throw refusal("has a tool \(name) whose parameters are not a JSON schema")
                }
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
            "The parameter \(parameterName) \(reason). Pass a list of objects with the members name, description and parameters (a JSON schema)."
        )
    }
}

/// A tool call that a model requests.
public struct ToolCall: Sendable, Hashable, Codable {
    /// The service's id of the call. The result must have the same id.
    public var id: String
    /// The name of the tool.
    public var name: String
    /// The arguments of the call. The model writes them. Check them like any input from outside your app.
    public var arguments: ParameterValue

    /// Creates a call.
    public init(id: String, name: String, arguments: ParameterValue) {
        self.id = id
        self.name = name
        self.arguments = arguments
    }

    /// Returns calls as JSON text for ``AnswerMetadata/toolCalls``, or `nil` if there are no calls.
    package static func metadata(_ calls: [ToolCall]) throws(AIServiceError) -> String? {
        try AnswerMetadata.text(of: calls)
    }
}

extension AIResponseData {
    /// The tool calls that the model requests, in the order of the answer. Empty if there are none.
    ///
    /// - Throws: ``AIServiceError/Code/invalidResponse`` if the metadata is not in the form that providers write.
    public var toolCalls: [ToolCall] {
        get throws(AIServiceError) { try list(in: AnswerMetadata.toolCalls) }
    }
}
