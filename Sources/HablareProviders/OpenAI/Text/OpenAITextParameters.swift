import Foundation
import Hablare
import HablareJSON

/// A request's checked parameters for a language model.
struct OpenAITextParameters: Sendable, Hashable {
    var temperature: Double?
    var topP: Double?
    var maximumTokens: Int64?
    var stop: [String]?
    var seed: Int64?
    var effort: String?
    var instructions: String?
    var tools: [ToolDefinition] = []
    /// `auto`, `none`, `required` or the name of a tool.
    var toolChoice: String?
    var schema: [String: ParameterValue]?
    var schemaName = "answer"
    /// The model's thinking from an earlier turn, to be sent back.
    var thinking: [ParameterValue] = []
    /// Whether the service works independently of the connection and stores the answer.
    var isInBackground = false
    let extra: ExtraMembers
    /// Whether every member of `extra` leaves the upper bound of the usage valid.
    let isBounded: Bool

    /// The called API. OpenAI's two APIs accept different parameters.
    enum API: Sendable { case chat, responses }

    /// Reads the parameters.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for an unknown parameter or an invalid value.
    init(_ values: [String: ParameterValue], of provider: ProviderID, for api: API) throws(AIServiceError) {
        var reader = ParameterReader(values, of: provider)
        temperature = try reader.number("temperature", in: 0...2)
        topP = try reader.number("top_p", in: 0...1)
        maximumTokens = try reader.whole("max_tokens", in: 1...Int64(Int32.max))
        if api == .chat {
            stop = try reader.texts("stop")
            seed = try reader.whole("seed", in: Int64.min...Int64.max)
        } else {
            thinking = try Self.thinking(reader.value("thinking_blocks"), reader)
            isInBackground = try reader.flag("background") ?? false
        }
        effort = try reader.text("reasoning_effort")
        instructions = try reader.text("instructions")
        if let value = reader.value(ToolDefinition.parameterName) { tools = try ToolDefinition.tools(in: value) }
        toolChoice = try reader.text("tool_choice")
        if let toolChoice, !["auto", "none", "required"].contains(toolChoice),
            !tools.contains(where: { $0.name == toolChoice })
        {
            throw reader.refusal("tool_choice", "is not auto, none, required or the name of one of the request's tools")
        }
        schema = try reader.object("schema")
        if let name = try reader.text("schema_name") { schemaName = name }
        extra = try ExtraMembers(&reader, reserving: api.reserved)
        isBounded = extra.areAll(in: api.harmless)
        try reader.finish()
    }

    /// Returns the thinking blocks from a list, or from the text of ``/Hablare/AnswerMetadata/thinking``.
    private static func thinking(
        _ value: ParameterValue?, _ reader: ParameterReader
    ) throws(AIServiceError) -> [ParameterValue] {
        guard let value else { return [] }
        let list = value.string.flatMap { ParameterValue(json: Data($0.utf8)) } ?? value
        guard case .array(let blocks) = list else {
            throw reader.refusal("thinking_blocks", "is not a list of thinking blocks")
        }
        return blocks
    }

    /// The answer's JSON schema, in the form that both APIs share.
    var format: [String: ParameterValue]? {
        schema.map { ["name": .string(schemaName), "schema": .object($0), "strict": true] }
    }

    /// Whether to request the model's thinking, to be sent back in a later turn.
    var includesThoughts: Bool { effort != nil && effort != "none" && extra["include"] == nil }

    /// Returns an upper bound of a call's usage; `nil` if the output is not limited, or if `extra` may raise the cost.
    func maximumUsage(of prompt: Prompt) -> Usage? {
        guard isBounded, !TokenEstimate.isUnbounded(prompt) else { return nil }
        return maximumTokens.map {
            Usage(inputTokens: TokenEstimate.mostTokens(of: prompt) + mostTokens, outputTokens: $0)
        }
    }

    /// The maximum number of tokens of everything sent beside the prompt.
    private var mostTokens: Int64 {
        TokenEstimate.mostTokens(of: ToolDefinition.parameter(tools))
            + TokenEstimate.mostTokens(of: .object(schema ?? [:])) + TokenEstimate.mostTokens(of: .array(thinking))
            + TokenEstimate.mostTokens(of: .object(extra.members)) + Int64(instructions?.utf8.count ?? 0)
    }
}

/// The rules for the members of `extra`. Each set is made once, not per call.
extension OpenAITextParameters.API {
    /// The members that `extra` must not have: they would bypass the token limit, ask for several answers, or change
    /// how the service answers.
    fileprivate var reserved: [String: String] {
        switch self {
        case .chat: Self.reservedByBoth
        case .responses: Self.reservedByResponses
        }
    }

    private static let reservedByBoth: [String: String] = [
        "max_tokens": "Use the parameter max_tokens.", "max_completion_tokens": "Use the parameter max_tokens.",
        "max_output_tokens": "Use the parameter max_tokens.", "n": "A request has one answer. Use `sample` for more.",
    ]
    private static let reservedByResponses = reservedByBoth.merging(
        ["background": "Use the parameter background."], uniquingKeysWith: { $1 })

    /// The members of `extra` that do not raise the cost above the upper bound. Their input is in the body, their
    /// output is within the limit, and the price is the usual one.
    ///
    /// The list follows the reference of both APIs. Other members may add stored input (`previous_response_id`,
    /// `conversation`, `prompt`), make the service search (`tools`, `web_search_options`), or cost more
    /// (`service_tier`).
    fileprivate var harmless: Set<String> {
        switch self {
        case .chat: Self.harmlessForChat
        case .responses: Self.harmlessForResponses
        }
    }

    private static let harmlessForBoth: Set = [
        "metadata", "parallel_tool_calls", "prompt_cache_key", "safety_identifier", "store", "temperature",
        "tool_choice", "top_logprobs", "top_p", "user",
    ]
    private static let harmlessForChat = harmlessForBoth.union([
        "chat_template_kwargs", "frequency_penalty", "logit_bias", "logprobs", "min_p", "presence_penalty",
        "reasoning_effort", "repetition_penalty", "response_format", "seed", "stop", "stream_options", "top_k",
        "verbosity",
    ])
    private static let harmlessForResponses = harmlessForBoth.union([
        "include", "max_tool_calls", "reasoning", "text", "truncation",
    ])
}
