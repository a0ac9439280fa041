import Hablare
import HablareJSON

/// The parameters of a request in the form of the messages API. Pure.
struct AnthropicOptions: Sendable {
    /// The maximum number of tokens in the answer.
    let maximumTokens: Int64
    /// Additional instructions, beside those in the prompt.
    let instructions: String?
    /// The conversation's turns that have thinking blocks.
    let turns: [AnthropicTurn]
    /// The members of the body other than model, prompt and `max_tokens`.
    let members: [String: ParameterValue]
    /// Additional members of the body, sent unchanged.
    let extra: ExtraMembers
    /// Whether every member of `extra` leaves the upper bound of the usage valid.
    let isBounded: Bool
    /// Whether the request has a schema.
    let hasSchema: Bool

    /// The range of `max_tokens`. Its end is more than any model writes.
    static let lengths: ClosedRange<Int64> = 1...10_000_000
    /// The range of the thinking budget in tokens. Its start is the API's minimum.
    private static let budgets: ClosedRange<Int64> = 1024...10_000_000

    /// Reads the parameters.
    ///
    /// - Throws: `invalidRequest`, naming the parameter, for one that is unknown or invalid.
    init(
        _ parameters: [String: ParameterValue], of provider: ProviderID, defaultMaximumTokens: Int64
    ) throws(AIServiceError) {
        var reader = ParameterReader(parameters, of: provider)
        var members: [String: ParameterValue] = [:]
        if let value = try reader.number("temperature", in: 0...1) { members["temperature"] = .double(value) }
        if let value = try reader.number("top_p", in: 0...1) { members["top_p"] = .double(value) }
        if let stops = try reader.texts("stop") { members["stop_sequences"] = .array(stops.map { .string($0) }) }
        let tools = try reader.value(ToolDefinition.parameterName).map { value throws(AIServiceError) in
            try ToolDefinition.tools(in: value)
        }
        if let tools, !tools.isEmpty { members["tools"] = .array(tools.map { Self.tool($0) }) }
        if let choice = try reader.text("tool_choice") {
            members["tool_choice"] = try Self.choice(choice, of: tools ?? [], reader)
        }
        var output: [String: ParameterValue] = [:]
        let efforts = ["low", "medium", "high", "xhigh", "max"]
        if let effort = try reader.choice("reasoning_effort", of: efforts) { output["effort"] = .string(effort) }
        let schema = try reader.object("schema")
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
        if let thinking { members["thinking"] = thinking.value }
        maximumTokens = asked ?? defaultMaximumTokens + (thinking?.budget ?? 0)
        if let budget = thinking?.budget, budget >= maximumTokens {
            throw reader.refusal(
                "thinking", "wants \(budget) tokens, which is not below max_tokens (\(maximumTokens))")
        }
        turns = try Self.turns(&reader)
        let given = [try reader.text("instructions"), schemaInstructions].compactMap(\.self)
        instructions = given.isEmpty ? nil : given.joined(separator: "\n\n")
        extra = try ExtraMembers(&reader)
        isBounded = extra.areAll(in: Self.harmless)
        try reader.finish()
        self.members = members
        hasSchema = schema != nil || extra["output_config"] != nil
    }

    /// The members of `extra` that, by the API's reference, do not raise the cost above the upper bound. Other members
    /// may make the service add input (`tools`, `mcp_servers`, `container`) or cost more (`service_tier`, `speed`,
    /// `inference_geo`, `cache_control` of an hour).
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

    /// Returns the instructions that stand in for the output format if the API cannot enforce a schema.
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
                    "tool_choice", "is neither auto, none nor required, nor the name of one of its tools")
            }
            return ["type": "tool", "name": .string(choice)]
        }
    }

    /// Reads the parameter `thinking`: a number of tokens, one of the API's words, or an object in the API's form.
    private static func thinking(
        _ reader: inout ParameterReader
    ) throws(AIServiceError) -> (value: ParameterValue, budget: Int64?)? {
        guard let value = reader.value("thinking") else { return nil }
        if case .object = value {
            guard value[member: "type"]?.string != nil else { throw reader.refusal("thinking", "has no type") }
            guard let given = value[member: "budget_tokens"], given != .null else { return (value, nil) }
            guard case .int(let budget) = given, Self.budgets.contains(budget) else {
                throw reader.refusal("thinking", "has budget_tokens that are not from 1024 to 10000000")
            }
            return (value, budget)
        }
        if let word = value.string, ["adaptive", "disabled", "between_tools"].contains(word) {
            return (["type": .string(word)], nil)
        }
        guard let budget = value.text.flatMap({ Int64($0) }), Self.budgets.contains(budget) else {
            throw reader.refusal(
                "thinking", "is neither adaptive, disabled nor between_tools, nor from 1024 to 10000000 tokens")
        }
        return (["type": "enabled", "budget_tokens": .int(budget)], budget)
    }

    private static func turns(_ reader: inout ParameterReader) throws(AIServiceError) -> [AnthropicTurn] {
        var turns: [AnthropicTurn] = []
        for text in try reader.texts("thinking_blocks") ?? [] {
            guard let turn = AnthropicTurn(metadata: text) else {
                throw reader.refusal("thinking_blocks", "is not what the metadata of an answer has under thinking")
            }
            turns.append(turn)
        }
        return turns
    }
}
