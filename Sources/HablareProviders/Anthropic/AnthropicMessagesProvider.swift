public import Hablare

/// Asks a Claude model: text, or values of a JSON schema, with pictures, tools and thoughts.
///
/// The answer is always streamed from the service, also where nobody reads along: a long one then does not die of a
/// connection's silence, and the bytes go to the store as they come.
///
/// Parameters: `temperature` and `top_p` (0 to 1), `max_tokens` (see ``defaultMaximumTokens``), `stop`, `tools`,
/// `tool_choice` (`auto`, `none`, `required`, or a tool's name), `reasoning_effort` (`low`, `medium`, `high`, `xhigh`,
/// `max`), `schema` (a JSON schema that the answer keeps to, by the API's structured outputs; `schema_name` is taken and
/// not used), `instructions` (before the system's messages), `thinking` (a budget in tokens from 1,024 on; `adaptive`,
/// `disabled`, `between_tools`; or the API's object) and `extra`: members of the body beyond these, as they are. What the
/// request says already they must not say.
///
/// Where the model thought, the metadata has it under ``/Hablare/AnswerMetadata/thinking``. A conversation with tools goes
/// on with the thoughts of the turns before: put the assistant's message with its text and tool calls into the prompt as it
/// was answered, and these texts as a list into the parameter `thinking_blocks`. Each finds its message by itself.
///
/// An answer that ends because of `max_tokens`, or with a refusal, is an answer: the metadata's `finish_reason` says so. A
/// structured answer that is no JSON is text; one that is a refusal fails as `providerFailed`, and one without any text as
/// `invalidResponse`.
public struct AnthropicMessagesProvider: AIServiceProvider, RequestChecking {
    /// The name it is registered under.
    public let id: ProviderID
    /// Whom it asks.
    public let service: AnthropicService
    /// In which form it answers; for values requests need a `schema`.
    public let form: AnswerForm
    /// The model of requests that name none.
    public let model: String
    /// How many tokens an answer has at most where the request does not say; the API wants to be told. With a budget for
    /// thinking that comes on top. Default: 4096; from 1 to 10 million, what is given beyond is the nearest of these.
    public let defaultMaximumTokens: Int64
    /// How much may be asked of it. Default: four calls at once, ten minutes for an attempt (of one that streams: of
    /// silence, for a model may think long), the calls a minute of a new account until the service says otherwise.
    public let limits: ProviderLimits

    /// Creates a provider.
    public init(
        id: ProviderID = "anthropic", service: AnthropicService, form: AnswerForm = .text,
        model: String = "claude-sonnet-5-5", defaultMaximumTokens: Int64 = 4096,
        limits: ProviderLimits = ProviderLimits(attemptTimeout: .seconds(600), rate: .anthropic)
    ) {
        self.id = id
        self.service = service
        self.form = form
        self.model = model
        self.defaultMaximumTokens = min(
            max(defaultMaximumTokens, AnthropicOptions.lengths.lowerBound), AnthropicOptions.lengths.upperBound)
        self.limits = limits
    }

    /// Kind, place, and what of it changes answers.
    public var instance: ProviderInstance {
        ProviderInstance(
            kind: "anthropic",
            location: "\(service.client.address.text) \(form.rawValue) \(model) \(defaultMaximumTokens)")
    }

    /// The model of requests that name none.
    public var defaultModel: String? { model }

    /// Text or values.
    public var responseType: ContentType { form.type }

    /// The service's.
    public var account: AccountID { service.account }

    /// Estimated tokens: a third of the bytes, 1,600 for a picture. On the high side.
    public func units(of request: AIRequest) -> Double { Double(TokenEstimate.tokens(of: request.prompt)) }

    /// Input counted high, a token for each byte of everything that is said; output up to `max_tokens`. `nil` with
    /// pictures, whose tokens depend on the model, for parameters that are refused, and where `extra` has a member that may
    /// bring in more than is said or have another price: every one of which the API's reference does not say that it
    /// cannot.
    public func maximumUsage(of request: AIRequest) -> Usage? {
        guard !request.prompt.hasImages else { return nil }
        do throws(AIServiceError) {
            let options = try plan(of: request).options
            guard options.isBounded else { return nil }
            let said = TokenEstimate.mostTokens(of: request.prompt)
            let parameters = TokenEstimate.mostTokens(of: .object(request.parameters))
            // The service adds some instructions of its own for tools.
            return Usage(inputTokens: said + parameters + 2048, outputTokens: options.maximumTokens)
        } catch {
            return nil
        }
    }

    /// Asks, and hands the text over as it comes. Cancelling the task ends the transfer.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        await Result(of: call, by: answer)
    }

    /// The call that a request becomes, its pictures unread.
    private func plan(of request: AIRequest) throws(AIServiceError) -> AnthropicMessagesRequest {
        try AnthropicMessagesRequest(
            request, model: model, form: form, defaultMaximumTokens: defaultMaximumTokens, of: id)
    }

    private func answer(_ call: ProviderCall) async throws(AIServiceError) -> ProviderAnswer {
        var plan = try plan(of: call.request)
        plan.conversation = try await plan.conversation.loaded()
        let post = try ServiceRequest.post(
            service.path(["messages"]), json: try plan.body(), accepts: ["text/event-stream"])
        let answer = try await service.client.send(post, for: call)
        var exchange = TextExchange(service: service, form: form, reader: AnthropicMessageReader())
        return try await exchange.streamed(answer, for: call)
    }

    package func check(_ request: AIRequest) throws(AIServiceError) { _ = try plan(of: request) }
}

extension Prompt {
    /// Whether there is a picture in it.
    fileprivate var hasImages: Bool {
        guard case .messages(let messages) = self else { return false }
        return messages.contains { $0.parts.contains { if case .image = $0 { true } else { false } } }
    }
}
