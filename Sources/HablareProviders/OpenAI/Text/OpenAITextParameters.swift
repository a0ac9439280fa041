import Foundation
import Hablare
import HablareJSON

/// A request's parameters for a language model, checked.
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
    /// What the model thought in an earlier turn, to be sent back.
    var thinking: [ParameterValue] = []
    /// Whether the service works on while nobody is connected, and keeps the answer.
    var isInBackground = false
    let extra: ExtraMembers
    /// Whether `extra` has only what leaves the bound of a call as it is.
    let isBounded: Bool

    /// Which of OpenAI's two APIs is asked; they do not take the same.
    enum API: Sendable { case chat, responses }

    /// Reads them.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for one that is unknown or has an impossible value.
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
            throw reader.refusal("tool_choice", "is neither auto, none or required nor one of the request's tools")
        }
        schema = try reader.object("schema")
        if let name = try reader.text("schema_name") { schemaName = name }
        extra = try ExtraMembers(&reader, reserving: api.reserved)
        isBounded = extra.areAll(in: api.harmless)
        try reader.finish()
    }

    /// Blocks as a list, or as the text that ``/Hablare/AnswerMetadata/thinking`` is.
    private static func thinking(
        _ value: ParameterValue?, _ reader: ParameterReader
    ) throws(AIServiceError) -> [ParameterValue] {
        guard let value else { return [] }
        let list = value.string.flatMap { ParameterValue(json: Data($0.utf8)) } ?? value
        guard case .array(let blocks) = list else {
            throw reader.refusal("thinking_blocks", "is no list of what a model thought")
        }
        return blocks
    }

    /// The JSON schema of the answer, as both APIs have it, without its place.
    var format: [String: ParameterValue]? {
        schema.map { ["name": .string(schemaName), "schema": .object($0), "strict": true] }
    }

    /// Whether what the model thinks is asked for, to be sent back in a later turn.
    var includesThoughts: Bool { effort != nil && effort != "none" && extra["include"] == nil }

    /// The most that a call with a prompt can use; `nil` where the output is not limited, or `extra` may make it cost more.
    func maximumUsage(of prompt: Prompt) -> Usage? {
        guard isBounded else { return nil }
        return maximumTokens.map {
            Usage(inputTokens: TokenEstimate.mostTokens(of: prompt) + mostTokens, outputTokens: $0)
        }
    }

    /// How many tokens what stands beside the prompt has at most.
    private var mostTokens: Int64 {
        TokenEstimate.mostTokens(of: ToolDefinition.parameter(tools))
            + TokenEstimate.mostTokens(of: .object(schema ?? [:])) + TokenEstimate.mostTokens(of: .array(thinking))
            + TokenEstimate.mostTokens(of: .object(extra.members)) + Int64(instructions?.utf8.count ?? 0)
    }
}

/// What `extra` may say. Each is made once, not for every call.
extension OpenAITextParameters.API {
    /// What `extra` must not say: what would be another limit than the one that is reckoned with, more answers than the
    /// one that a request has, or another way of answering.
    fileprivate var reserved: [String: String] {
        switch self {
        case .chat: Self.reservedByBoth
        case .responses: Self.reservedByResponses
        }
    }

    private static let reservedByBoth: [String: String] = [
        "max_tokens": "Use the parameter max_tokens.", "max_completion_tokens": "Use the parameter max_tokens.",
        "max_output_tokens": "Use the parameter max_tokens.", "n": "A request has one answer: use `sample` for more.",
    ]
    private static let reservedByResponses = reservedByBoth.merging(
        ["background": "Use the parameter background."], uniquingKeysWith: { $1 })

    /// What `extra` may say without making a call cost more than is reckoned with: what is sent to the model is in the body
    /// with its bytes, what the model writes is within the limit, and the price is the usual one.
    ///
    /// By the reference of both APIs. What is not here may bring in what is kept at the service (`previous_response_id`,
    /// `conversation`, `prompt`), have it look for more (`tools`, `web_search_options`), or cost more (`service_tier`).
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
