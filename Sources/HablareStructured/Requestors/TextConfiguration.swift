public import Hablare

/// How a model writes. Only what is set is sent; what is `nil` or empty is as the provider has it.
public struct TextConfiguration: Sendable, Hashable {
    /// How hard a model thinks before it answers, where it can.
    public struct ReasoningEffort: Sendable, Hashable, RawRepresentable {
        /// The provider's word.
        public let rawValue: String
        /// Creates an effort by the provider's word.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Hardly any.
        public static let minimal = Self(rawValue: "minimal")
        /// Little.
        public static let low = Self(rawValue: "low")
        /// Some.
        public static let medium = Self(rawValue: "medium")
        /// Much.
        public static let high = Self(rawValue: "high")
    }

    /// Whether the model calls tools.
    public enum ToolChoice: Sendable, Hashable {
        /// As it likes: `auto`.
        case automatic
        /// None, though it knows of them: `none`.
        case never
        /// At least one: `required`.
        case required
        /// This one.
        case tool(String)

        /// What it is called in a request.
        var word: String {
            switch self {
            case .automatic: "auto"
            case .never: "none"
            case .required: "required"
            case .tool(let name): name
            }
        }
    }

    /// How freely it chooses its words, from 0 (the likeliest) to 2.
    public var temperature: Double?
    /// From how much of the likeliest words it chooses, between 0 and 1.
    public var topP: Double?
    /// How many tokens the answer may have, at least 1. One that is cut has the finish reason ``/Hablare/FinishReason/length``.
    public var maximumTokens: Int?
    /// Texts at which the answer ends, without them. None may be empty.
    public var stop: [String]
    /// Makes answers repeat themselves, as far as the provider can.
    public var seed: Int?
    /// How hard it thinks.
    public var reasoningEffort: ReasoningEffort?
    /// What it may ask to be called. See ``TextRequestor/Output/toolCalls``.
    public var tools: [ToolDefinition]
    /// Whether it calls tools. Set without tools, or naming one that is not there, it is refused.
    public var toolChoice: ToolChoice?
    /// What the provider understands beyond: merged into what is sent, as it is.
    public var extra: [String: ParameterValue]

    /// Creates a configuration.
    public init(
        temperature: Double? = nil, topP: Double? = nil, maximumTokens: Int? = nil, stop: [String] = [],
        seed: Int? = nil, reasoningEffort: ReasoningEffort? = nil, tools: [ToolDefinition] = [],
        toolChoice: ToolChoice? = nil, extra: [String: ParameterValue] = [:]
    ) {
        self.temperature = temperature
        self.topP = topP
        self.maximumTokens = maximumTokens
        self.stop = stop
        self.seed = seed
        self.reasoningEffort = reasoningEffort
        self.tools = tools
        self.toolChoice = toolChoice
        self.extra = extra
    }

    /// The parameters of its requests.
    func parameters() throws(AIServiceError) -> [String: ParameterValue] {
        var writer = ParameterWriter()
        try writer.set("temperature", temperature, in: 0...2)
        try writer.set("top_p", topP, in: 0...1)
        try writer.set("max_tokens", maximumTokens, in: 1...Int.max)
        guard stop.allSatisfy({ !$0.isEmpty }) else { throw ParameterWriter.refusal("stop", "has an empty text") }
        if !stop.isEmpty { writer.set("stop", .array(stop.map { .string($0) })) }
        try writer.set("seed", seed, in: Int.min...Int.max)
        try writer.set("reasoning_effort", reasoningEffort?.rawValue)
        if !tools.isEmpty {
            let value = ToolDefinition.parameter(tools)
            _ = try ToolDefinition.tools(in: value)
            writer.set(ToolDefinition.parameterName, value)
        }
        if let toolChoice { try writer.set("tool_choice", try checked(toolChoice).word) }
        writer.setExtra(extra)
        return writer.parameters
    }

    private func checked(_ choice: ToolChoice) throws(AIServiceError) -> ToolChoice {
        guard !tools.isEmpty else { throw ParameterWriter.refusal("tool_choice", "is set, and there are no tools") }
        guard case .tool(let name) = choice else { return choice }
        guard tools.contains(where: { $0.name == name }) else {
            throw ParameterWriter.refusal("tool_choice", "names a tool that is not there")
        }
        guard !["auto", "none", "required"].contains(name) else {
            throw ParameterWriter.refusal("tool_choice", "names a tool by a word that means something else")
        }
        return choice
    }
}
