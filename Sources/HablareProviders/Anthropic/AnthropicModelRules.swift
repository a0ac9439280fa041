import Hablare
import HablareJSON

/// The rules of one model for one call: its limit of output tokens and the parameters that it accepts.
///
/// If a fact about the model is unknown, the call is allowed, and the service decides.
struct AnthropicModelRules: Sendable {
    /// The model's id, as the request or the provider names it.
    let id: String
    /// The known facts; `nil` for an unknown model.
    let known: ModelInformation?
    /// The provider's limit for an answer whose request sets no limit; `nil` for the model's own limit.
    let defaultTokens: Int64?
    /// The time in which the whole answer must arrive. `nil` if the answer streams: then only the time between two
    /// pieces is limited.
    let time: Duration?

    /// The output limit of an unknown model of Anthropic. Each Claude model since version 4 can write at least 32,000
    /// tokens.
    static let unknownLimit: Int64 = 32_000
    /// The output limit of an unknown model of another vendor.
    static let foreignLimit: Int64 = 4096
    /// The number of tokens that are added for thinking if the model thinks without being asked. Such thinking has no
    /// separate budget and counts as output.
    static let thoughtTokens: Int64 = 32_000

    /// The number of tokens that certainly arrive within a time: 128,000 tokens an hour. The vendor's own client uses
    /// the same formula to refuse calls that would take too long (`anthropic` SDK 2.14.0,
    /// `_calculate_nonstreaming_timeout`).
    static func tokens(in time: Duration) -> Int64 {
        let seconds = min(max(0, time.components.seconds), 86_400)
        return max(foreignLimit, seconds * 128_000 / 3600)
    }

    /// The maximum number of tokens that the model writes.
    private var limit: Int64 {
        known?.outputTokens ?? (known != nil || id.hasPrefix("claude-") ? Self.unknownLimit : Self.foreignLimit)
    }

    // MARK: The limit of tokens

    /// Returns the value of `max_tokens`, which includes the thinking.
    ///
    /// - Parameters:
    ///   - asked: The limit that the request sets.
    ///   - thinking: The request's thinking.
    func maximumTokens(_ asked: Int64?, thinking: AnthropicThinking?) -> Int64 {
        if let asked { return asked }
        let thoughts = thoughts(thinking)
        if let defaultTokens {
            return min(defaultTokens + thoughts, known?.outputTokens ?? .max)
        }
        guard let time else { return max(limit, limitOfUnknown(thoughts)) }
        return max(min(limit, Self.tokens(in: time) + thoughts), limitOfUnknown(thoughts))
    }

    /// Returns the limit for a model whose limit is unknown. It is the smallest limit that leaves room for an answer
    /// after the thinking.
    private func limitOfUnknown(_ thoughts: Int64) -> Int64 {
        known?.outputTokens == nil && thoughts != Self.thoughtTokens ? thoughts + Self.foreignLimit : 0
    }

    private func thoughts(_ thinking: AnthropicThinking?) -> Int64 {
        if let budget = thinking?.budget { return budget }
        switch thinking?.type {
        case "disabled", "between_tools": return 0
        case .some: return Self.thoughtTokens
        case nil: return known?.thinksByDefault == true ? Self.thoughtTokens : 0
        }
    }

    // MARK: Parameters

    /// Throws an error if the request asks for more tokens than the model can write.
    func check(maximumTokens asked: Int64?) throws(AIServiceError) {
        guard let asked, let most = known?.outputTokens, asked > most else { return }
        throw AIServiceError(
            .invalidRequest,
            "The parameter max_tokens is \(asked), and the model \(id) writes at most \(most). Lower it, or leave it out."
        )
    }

    /// Throws an error if the model refuses the parameter.
    func check(_ parameter: String) throws(AIServiceError) {
        guard refuses(parameter) else { return }
        throw refusal(of: parameter)
    }

    private func refuses(_ parameter: String) -> Bool { known?.refused.contains(parameter) == true }

    /// Throws an error if the request sets both `temperature` and `top_p`, and the model refuses the combination.
    func check(temperature: Bool, topP: Bool) throws(AIServiceError) {
        guard temperature, topP, refuses("temperature+top_p") else { return }
        throw refusal(of: "top_p together with temperature")
    }

    /// Throws an error if the model refuses this form of thinking, or a thinking budget.
    func check(_ thinking: AnthropicThinking) throws(AIServiceError) {
        try check("thinking")
        guard let type = thinking.type, refuses("thinking.\(type)") else { return }
        let parameter = thinking.budget == nil ? "" : " (budget_tokens)"
        let accepted = ["adaptive", "enabled", "disabled", "between_tools"].filter { !refuses("thinking.\($0)") }
        throw refusal(of: "thinking of the type \(ServiceRefusal.word(type))\(parameter)", accepted: accepted)
    }

    /// Throws an error if the model refuses this effort level.
    func check(effort: String) throws(AIServiceError) {
        guard let efforts = known?.efforts, !efforts.contains(effort) else { return }
        throw refusal(
            of: efforts.isEmpty ? "reasoning_effort" : "reasoning_effort with the value \(ServiceRefusal.word(effort))",
            accepted: efforts)
    }

    /// Throws an error if the model cannot be forced to call a tool.
    ///
    /// - Parameter choice: The member `tool_choice` of the body.
    func check(choice: ParameterValue) throws(AIServiceError) {
        guard let type = choice[member: "type"]?.string, refuses("tool_choice.\(type)") else { return }
        throw refusal(of: "tool_choice with a value that forces a tool call", accepted: ["auto", "none"])
    }

    /// Throws an error if the model refuses a prompt that ends with an assistant's message.
    func checkPrefill() throws(AIServiceError) {
        guard refuses("prefill") else { return }
        throw AIServiceError(
            .invalidRequest,
            "The model \(id) does not continue an assistant message (prefill). End the prompt with a user message."
        )
    }

    /// Throws an error if the model refuses one of the request's additional body members.
    func check(_ extra: ExtraMembers) throws(AIServiceError) {
        for name in extra.members.keys.sorted() { try check(name) }
        if let thinking = extra["thinking"] { try check(AnthropicThinking(value: thinking)) }
        if let choice = extra["tool_choice"] { try check(choice: choice) }
        if let effort = extra["output_config"]?[member: "effort"]?.string { try check(effort: effort) }
    }

    private func refusal(of parameter: String, accepted: [String] = []) -> AIServiceError {
        let advice = accepted.isEmpty ? "" : " It takes: \(accepted.joined(separator: ", "))."
        return AIServiceError(
            .invalidRequest,
            "The model \(id) does not accept the parameter \(parameter).\(advice) Leave it out, or choose another model."
        )
    }
}

/// A request's thinking, in the form of the messages API.
struct AnthropicThinking: Sendable, Hashable {
    /// The member `thinking` of the body.
    let value: ParameterValue
    /// The maximum number of tokens of thinking; `nil` if the request sets none.
    let budget: Int64?

    /// The member `type`: `adaptive`, `enabled`, `disabled`, `between_tools`, or an unknown word.
    var type: String? { value[member: "type"]?.string }

    init(value: ParameterValue, budget: Int64?) {
        self.value = value
        self.budget = budget
    }

    /// Reads a value that is sent unchanged.
    init(value: ParameterValue) {
        self.init(value: value, budget: value[member: "budget_tokens"]?.count)
    }
}
