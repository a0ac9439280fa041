import Hablare
import HablareJSON

/// The parameters of a request in the form of the messages API.
struct AnthropicOptions: Sendable {
    /// The maximum number of tokens in the answer.
    let maximumTokens: Int64
    /// Instructions in addition to those in the prompt.
    let instructions: String?
    /// The conversation's turns that have thinking blocks.
    let turns: [AnthropicTurn]
    /// The members of the body other than model, prompt and `max_tokens`.
    let members: [String: ParameterValue]
    /// Additional members of the body, sent unchanged.
    let extra: ExtraMembers
    /// Whether the upper bound of the usage is still valid with the members of `extra`.
    let isBounded: Bool
    /// Whether the request has a schema.
    let hasSchema: Bool
    /// Whether the service may pause the answer. The service pauses only for its own tools, and only members of `extra`
    /// can request these tools.
    let mayPause: Bool

    /// The accepted range of `max_tokens`. No model writes as many tokens as the upper end of the range.
    static let lengths: ClosedRange<Int64> = 1...10_000_000
    /// The accepted range of the thinking budget in tokens. Its lower end is the API's minimum.
    private static let budgets: ClosedRange<Int64> = 1024...10_000_000

    /// Reads the parameters.
    ///
    /// - Throws: `invalidRequest`, naming the parameter, if a parameter is unknown or invalid. If the model refuses the
    ///   parameter, the error also names the model.
    init(
        _ parameters: [String: ParameterValue], of provider: ProviderID, rules: AnthropicModelRules
    ) throws(AIServiceError) {
        var reader = ParameterReader(parameters, of: provider)
        var members: [String: ParameterValue] = [:]
        for name in ["temperature", "top_p"] {
            guard let value = try reader.number(name, in: 0...1) else { continue }
            try rules.check(name)
            members[name] = .double(value)
        }
        try rules.check(temperature: members["temperature"] != nil, topP: members["top_p"] != nil)
        if let stops = try reader.texts("stop") { members["stop_sequences"] = .array(stops.map { .string($0) }) }
        let tools = try reader.value(ToolDefinition.parameterName).map { value throws(AIServiceError) in
            try ToolDefinition.tools(in: value)
        }
        if let tools, !tools.isEmpty { members["tools"] = .array(tools.map { Self.tool($0) }) }
        if let choice = try reader.text("tool_choice") {
            let choice = try Self.choice(choice, of: tools ?? [], reader)
            try rules.check(choice: choice)
            members["tool_choice"] = choice
        }
        var output: [String: ParameterValue] = [:]
        let efforts = ["low", "medium", "high", "xhigh", "max"]
        if let effort = try reader.choice("reasoning_effort", of: efforts) {
            try rules.check(effort: effort)
            output["effort"] = .string(effort)
        }
        let schema = try reader.object("schema")
        if schema != nil { try rules.check("schema") }
        var schemaInstructions: String?
        if let schema {
            switch SchemaDialect.anthropic.fit(schema) {
            case .success(let fitted): output["format"] = ["type": "json_schema", "schema": .object(fitted)]
            case .failure: schemaInstructions = try Self.instructions(for: schema)
            }
        }
        // The API has no schema name; the parameter is common to all services.
        _ = try reader.text("schema_name")
        if !output.isEmpty { members["output_config"] = .object(output) }
        let asked = try reader.whole("max_tokens", in: Self.lengths)
        let thinking = try Self.thinking(&reader)
        if let thinking {
            try rules.check(thinking)
            members["thinking"] = thinking.value
        }
        try rules.check(maximumTokens: asked)
        maximumTokens = rules.maximumTokens(asked, thinking: thinking)
        if let budget = thinking?.budget, budget >= maximumTokens {
            throw reader.refusal(
                "thinking", "has a budget of \(budget) tokens, which is not less than max_tokens (\(maximumTokens))")
        }
        turns = try Self.turns(&reader)
        let given = [try reader.text("instructions"), schemaInstructions].compactMap(\.self)
        instructions = given.isEmpty ? nil : given.joined(separator: "\n\n")
        extra = try ExtraMembers(&reader)
        try rules.check(extra)
        isBounded = extra.areAll(in: Self.harmless)
        mayPause = extra["tools"] != nil || extra["mcp_servers"] != nil
        try reader.finish()
        self.members = members
        hasSchema = schema != nil || extra["output_config"] != nil
    }

    /// The members of `extra` that, according to the API's reference, do not raise the cost above the upper bound.
    /// Other members may make the service add input (`tools`, `mcp_servers`, `container`) or charge more
    /// (`service_tier`, `speed`, `inference_geo`, an hour of `cache_control`).
    private static let harmless: Set<String> = [
        "metadata", "output_config", "output_format", "stop_sequences", "temperature", "thinking", "tool_choice",
        "top_k",
        "top_p",
    ]

    private static func tool(_ tool: ToolDefinition) -> ParameterValue {
        var members: [String: ParameterValue] = ["name": .string(tool.name), "input_schema": tool.parameters]
        if !tool.description.isEmpty { members["description"] = .string(tool.description) }
        return .object(members)
    }

    /// Returns instructions that describe the schema, for a schema that the API cannot enforce.
    private static func instructions(for schema: [String: ParameterValue]) throws(AIServiceError) -> String {
        """
        Answer with one JSON value that satisfies this JSON schema, and nothing else:
        \(try ParameterValue.object(schema).jsonText())
        """
    }

    private static func choice(
        _ choice: String, of tools: [ToolDefinition], _ reader: ParameterReader
    ) throws(AIServiceError) -> ParameterValue {
        switch choice {
        case "auto", "none": return ["type": .string(choice)]
        case "required", "any": return ["type": "any"]
        default:
            guard tools.contains(where: { $0.name == choice }) else {
                throw reader.refusal(
                    "tool_choice", "is not auto, none, required or the name of one of its tools")
            }
            return ["type": "tool", "name": .string(choice)]
        }
    }

    /// Reads the parameter `thinking`: a number of tokens, one of the API's keywords, or an object in the API's form.
    private static func thinking(
        _ reader: inout ParameterReader
    ) throws(AIServiceError) -> AnthropicThinking? {
        guard let value = reader.value("thinking") else { return nil }
        if case .object = value {
            guard value[member: "type"]?.string != nil else { throw reader.refusal("thinking", "has no type") }
            guard let given = value[member: "budget_tokens"], given != .null else {
                return AnthropicThinking(value: value, budget: nil)
            }
            guard case .int(let budget) = given, Self.budgets.contains(budget) else {
                throw reader.refusal("thinking", "has budget_tokens that are not from 1024 to 10000000")
            }
            return AnthropicThinking(value: value, budget: budget)
        }
        if let word = value.string, ["adaptive", "disabled", "between_tools"].contains(word) {
            return AnthropicThinking(value: ["type": .string(word)], budget: nil)
        }
        guard let budget = value.text.flatMap({ Int64($0) }), Self.budgets.contains(budget) else {
            throw reader.refusal(
                "thinking", "is not adaptive, disabled, between_tools, or a number of tokens from 1024 to 10000000")
        }
        return AnthropicThinking(value: ["type": "enabled", "budget_tokens": .int(budget)], budget: budget)
    }

    private static func turns(_ reader: inout ParameterReader) throws(AIServiceError) -> [AnthropicTurn] {
        var turns: [AnthropicTurn] = []
        for text in try reader.texts("thinking_blocks") ?? [] where KeptThinking(text).map({ $0 == .blocks }) ?? true {
            guard let turn = AnthropicTurn(metadata: text) else {
                throw reader.refusal("thinking_blocks", "is not the value of thinking in the metadata of an answer")
            }
            turns.append(turn)
        }
        return turns
    }
}
