public import Hablare

/// The settings for text. Only settings that you set are sent. For a setting that is `nil` or empty, the provider's
/// default applies.
///
/// ```swift
/// let configuration = TextConfiguration(
///     temperature: 0.2, maximumTokens: 500, stop: ["\n\n"], seed: 7, reasoningEffort: .low,
///     extra: ["service_tier": "flex"])
/// ```
public struct TextConfiguration: Sendable, Hashable {
    /// The effort that a reasoning model makes before it answers.
    public struct ReasoningEffort: Sendable, Hashable, RawRepresentable {
        /// The effort, as the provider names it.
        public let rawValue: String
        /// Creates an effort from the provider's name for it.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Almost no reasoning.
        public static let minimal = Self(rawValue: "minimal")
        /// Little reasoning.
        public static let low = Self(rawValue: "low")
        /// A medium amount of reasoning.
        public static let medium = Self(rawValue: "medium")
        /// Much reasoning.
        public static let high = Self(rawValue: "high")
    }

    /// Whether the model may or must call tools.
    public enum ToolChoice: Sendable, Hashable {
        /// The model decides whether it calls tools. The request contains `auto` for this choice.
        case automatic
        /// The model calls no tools, but receives their definitions. The request contains `none` for this choice.
        case never
        /// The model must call at least one tool. The request contains `required` for this choice.
        case required
        /// The model must call the tool with this name.
        case tool(String)

        /// The text that is sent for the choice.
        var word: String {
            switch self {
            case .automatic: "auto"
            case .never: "none"
            case .required: "required"
            case .tool(let name): name
            }
        }
    }

    /// The sampling temperature, from 0 (always the most likely words) to 2. For example, 0 for extracting facts.
    public var temperature: Double?
    /// The total probability of the words from which the model chooses, between 0 and 1 (nucleus sampling). With a
    /// small value, the model chooses only from the most likely words. For example, 0.9.
    public var topP: Double?
    /// The maximum number of tokens in the answer, at least 1. If the answer is cut off at this number, its finish
    /// reason is ``/Hablare/FinishReason/length``. For example, 500 for a summary.
    public var maximumTokens: Int?
    /// The texts that end the answer, as soon as the model writes one of them. This text itself is not part of the
    /// answer. No text may be empty. For example, `["\n\n"]` for one paragraph.
    public var stop: [String]
    /// A seed that makes answers repeatable. Not all providers support it. For example, 7 in a test.
    public var seed: Int?
    /// The effort of reasoning. For example, `.low` for a quick answer.
    public var reasoningEffort: ReasoningEffort?
    /// The tools that the model may call. See ``TextRequestor/Output/toolCalls``. For example,
    /// `[ToolDefinition(name: "weather", description: "Returns the weather of a city.")]`.
    public var tools: [ToolDefinition]
    /// Whether the model may or must call tools. The setting is refused if there are no tools, or if it names an
    /// unknown tool. For example, `.tool("weather")`.
    public var toolChoice: ToolChoice?
    /// Further parameters for the provider. They are added unchanged to the sent request. For example,
    /// `["service_tier": "flex"]`.
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

    /// Returns the parameters of the requestor's requests.
    func parameters() throws(AIServiceError) -> [String: ParameterValue] {
        var writer = ParameterWriter()
        try writer.set("temperature", temperature, in: 0...2)
        try writer.set("top_p", topP, in: 0...1)
        try writer.set("max_tokens", maximumTokens, in: 1...Int.max)
        guard stop.allSatisfy({ !$0.isEmpty }) else { throw ParameterWriter.refusal("stop", "contains an empty text") }
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
        guard !tools.isEmpty else { throw ParameterWriter.refusal("tool_choice", "is set, but there are no tools") }
        guard case .tool(let name) = choice else { return choice }
        guard tools.contains(where: { $0.name == name }) else {
            throw ParameterWriter.refusal("tool_choice", "names a tool that does not exist")
        }
        guard !["auto", "none", "required"].contains(name) else {
            throw ParameterWriter.refusal("tool_choice", "names a tool whose name is a keyword of this setting")
        }
        return choice
    }
}
