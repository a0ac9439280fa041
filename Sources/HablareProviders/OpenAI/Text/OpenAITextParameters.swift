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
    /// The answer's JSON schema, exactly as in the request; `nil` if the request has none.
    let schema: [String: ParameterValue]?
    /// The answer's JSON schema in the form that both APIs use; `nil` if the request has none.
    ///
    /// The schema is adapted to the service's rules for strict schemas. If these rules cannot express the schema, or if
    /// the service has no such rules, the schema is sent unchanged and not strict.
    private(set) var format: [String: ParameterValue]?
    /// The outputs of earlier turns that must be sent back: one output for each turn.
    var earlierOutputs: [OpenAIOutput] = []
    /// The reasoning of earlier turns at a server with the chat API.
    var earlierReasoning: [KeptReasoning] = []
    /// Whether the service works independently of the connection and stores the answer.
    var isInBackground = false
    /// Whether the model is known to reason, also if the request sets no effort.
    private var reasons = false
    let extra: ExtraMembers
    /// Whether the upper bound of the usage is still valid with the members of `extra`.
    let isBounded: Bool

    /// The called API. OpenAI's two text APIs accept different parameters.
    enum API: Sendable { case chat, responses }

    /// Reads the parameters.
    ///
    /// - Parameter dialect: The rules for strict schemas. `nil` for a server without such rules. Such a server receives
    ///   every schema unchanged and not strict, because a gateway may pass it to a service that has rules.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for an unknown parameter or an invalid value.
    init(
        _ values: [String: ParameterValue], of provider: ProviderID, for api: API, schemas dialect: SchemaDialect?
    ) throws(AIServiceError) {
        var reader = ParameterReader(values, of: provider)
        temperature = try reader.number("temperature", in: 0...2)
        topP = try reader.number("top_p", in: 0...1)
        maximumTokens = try reader.whole("max_tokens", in: 1...Int64(Int32.max))
        if api == .chat {
            stop = try reader.texts("stop")
            seed = try reader.whole("seed", in: Int64.min...Int64.max)
            earlierReasoning = try Self.reasoning(reader.value("thinking_blocks"), reader)
        } else {
            earlierOutputs = try Self.outputs(reader.value("thinking_blocks"), reader)
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
        let schemaName = try reader.text("schema_name") ?? "answer"
        format = schema.map { Self.format(of: $0, named: schemaName, in: dialect) }
        extra = try ExtraMembers(&reader, reserving: api.reserved)
        isBounded = extra.areAll(in: api.harmless)
        try reader.finish()
    }

    /// Returns the reasoning of earlier turns. Leaves out the thinking of another service, which the chat API does not
    /// accept.
    private static func reasoning(
        _ value: ParameterValue?, _ reader: ParameterReader
    ) throws(AIServiceError) -> [KeptReasoning] {
        guard let value else { return [] }
        let texts = value.string.map { [$0] } ?? value.elements.map { $0.string ?? "" }
        guard !texts.isEmpty, texts.allSatisfy({ KeptThinking($0) != nil }) else {
            throw reader.refusal("thinking_blocks", "is not the text that an answer's metadata has under thinking")
        }
        return texts.flatMap { text in
            (ParameterValue(json: Data(text.utf8))?.elements ?? []).compactMap { KeptReasoning($0) }
        }
    }

    /// Returns the outputs from a parameter's value. The value has one of these forms: the text of
    /// ``/Hablare/AnswerMetadata/thinking``, a list with one such text for each turn, or the list of items in such a
    /// text.
    private static func outputs(
        _ value: ParameterValue?, _ reader: ParameterReader
    ) throws(AIServiceError) -> [OpenAIOutput] {
        func items(_ value: ParameterValue) throws(AIServiceError) -> [ParameterValue] {
            let list = value.string.flatMap { ParameterValue(json: Data($0.utf8)) } ?? value
            guard case .array(let items) = list, items.allSatisfy({ $0[member: "type"]?.string != nil }) else {
                throw reader.refusal("thinking_blocks", "is not the value of thinking in the metadata of an answer")
            }
            return items
        }
        guard let value else { return [] }
        var outputs: [OpenAIOutput] = []
        if case .array(let texts) = value, !texts.isEmpty, texts.allSatisfy({ $0.string != nil }) {
            for text in texts where text.string.flatMap(KeptThinking.init).map({ $0 == .items }) ?? true {
                outputs.append(OpenAIOutput(try items(text)))
            }
        } else {
            outputs = [OpenAIOutput(try items(value))]
        }
        return outputs.filter { !$0.items.isEmpty }
    }

    private static func format(
        of schema: [String: ParameterValue], named name: String, in dialect: SchemaDialect?
    ) -> [String: ParameterValue] {
        let (sent, isStrict) =
            switch dialect?.fit(schema) {
            case .success(let fitted)?: (fitted, true)
            case .failure?, nil: (schema, false)
            }
        return ["name": .string(name), "schema": .object(sent), "strict": .bool(isStrict)]
    }

    /// Turns reasoning off if the model accepts tools in the chat API only without reasoning.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` if the request asks for reasoning and has tools.
    mutating func obeyChat(_ model: ModelInformation?) throws(AIServiceError) {
        guard let model, !tools.isEmpty, model.refusedWhileReasoning.contains("chat.tools") else { return }
        guard let asked = effort ?? extra["reasoning_effort"]?.string else { return effort = "none" }
        guard asked != "none" else { return }
        throw AIServiceError(
            .invalidRequest,
            """
            The model \(model.id) takes tools in the chat API only without reasoning. Set reasoning_effort to none, or \
            use the Responses API: set `api` of the service to responses.
            """)
    }

    /// Notes whether the model reasons. A model does if the catalog knows an effort for it, or knows that it thinks
    /// unless a request turns thinking off.
    mutating func obeyResponses(_ model: ModelInformation?) {
        reasons = model?.thinksByDefault == true || model?.efforts?.contains { $0 != "none" } == true
    }

    /// Whether to request the model's thinking, so that a later turn can send it back. Models without reasoning refuse
    /// such a request, so a model that is not in the catalog must have an effort in the request.
    var includesThoughts: Bool {
        guard extra["include"] == nil else { return false }
        guard let asked = effort ?? extra["reasoning"]?[member: "effort"]?.string else { return reasons }
        return asked != "none"
    }

    /// Returns an upper bound of a call's usage; `nil` if the output is not limited, or if `extra` may raise the cost.
    func maximumUsage(of prompt: Prompt) -> Usage? {
        guard isBounded, !TokenEstimate.isUnbounded(prompt) else { return nil }
        return maximumTokens.map {
            Usage(inputTokens: TokenEstimate.mostTokens(of: prompt) + mostTokens, outputTokens: $0)
        }
    }

    /// The maximum number of tokens that the request sends in addition to the prompt.
    private var mostTokens: Int64 {
        TokenEstimate.mostTokens(of: ToolDefinition.parameter(tools))
            + TokenEstimate.mostTokens(of: .object(format ?? [:]))
            + TokenEstimate.mostTokens(of: .array(earlierOutputs.flatMap(\.items)))
            + TokenEstimate.mostTokens(of: .array(earlierReasoning.map(\.value)))
            + TokenEstimate.mostTokens(of: .object(extra.members)) + Int64(instructions?.utf8.count ?? 0)
    }
}

/// The rules for the members of `extra`. Each set is created once, not for each call.
extension OpenAITextParameters.API {
    /// The members that `extra` must not contain. They would avoid the token limit, request several answers, or change
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

    /// The members of `extra` that do not raise the cost above the upper bound: their input is part of the body, their
    /// output is within the limit, and their price is the usual price.
    ///
    /// The list follows the reference of both APIs. Other members may add stored input (`previous_response_id`,
    /// `conversation`, `prompt`), make the service search (`tools`, `web_search_options`), or raise the price
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
