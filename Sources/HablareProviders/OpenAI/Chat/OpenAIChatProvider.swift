public import Hablare

/// Language models by `chat/completions`, the API that most other servers speak, too.
///
/// Parameters of a request: `temperature` (0…2), `top_p` (0…1), `max_tokens`, `stop` (a list of texts), `seed`,
/// `reasoning_effort`, `instructions` (a message of the system's before all others), `tools`, `tool_choice` (`auto`, `none`,
/// `required` or a tool's name), `schema` and `schema_name` (the answer is JSON by that schema), `extra` (members of the body
/// beyond these, as they are).
///
/// Metadata of an answer: ``/Hablare/AnswerMetadata`` request id, model, finish reason (`refusal` where the text is the words
/// in which the model refuses), tool calls (without the last one where `max_tokens` cut it), cached, cache write and reasoning
/// tokens.
///
/// A request that streams is sent as a stream, any other is not: streams of some models need a verified account, and a
/// whole answer always says what it used.
public struct OpenAIChatProvider: AIServiceProvider, RequestChecking {
    /// The name it is registered under.
    public let id: ProviderID
    /// The model for requests that name none.
    public let model: String
    private let service: OpenAIService
    private let form: AnswerForm
    private let timeout: Duration

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name it is registered under.
    ///   - service: Where the models are.
    ///   - model: The model for requests that name none.
    ///   - form: In which form it answers.
    ///   - timeout: How long an attempt may take unless a request says otherwise; of one that streams, be silent. Models
    ///     that think take minutes. Default: 10 minutes.
    public init(
        _ id: ProviderID, service: OpenAIService, model: String, form: AnswerForm = .text,
        timeout: Duration = .seconds(600)
    ) {
        self.id = id
        self.service = service
        self.model = model
        self.form = form
        self.timeout = timeout
    }

    /// `openai`, the base URL, the API with the form of its answers, the model for requests that name none.
    public var instance: ProviderInstance { service.instance("chat \(form.rawValue)", model: model) }
    /// ``model``.
    public var defaultModel: String? { model }
    /// Text, or a value tree.
    public var responseType: ContentType { form.type }
    /// The service's, with the timeout.
    public var limits: ProviderLimits { service.limits(timeout: timeout) }
    /// The service's account for text, which all APIs for text share.
    public var account: AccountID { service.account(of: "text") }

    /// Estimated tokens: a third of the bytes, 1,600 for a picture. On the high side.
    public func units(of request: AIRequest) -> Double { Double(TokenEstimate.tokens(of: request.prompt)) }

    /// A token for each byte that is sent, and as many more as the request allows; not known where it sets no
    /// `max_tokens`, or where `extra` has a member that may bring in more than is sent or have another price: every one
    /// of which the API's reference does not say that it cannot.
    public func maximumUsage(of request: AIRequest) -> Usage? {
        service.maximumUsage { () throws(AIServiceError) in
            try checked(request).parameters.maximumUsage(of: request.prompt)
        }
    }

    /// Asks the model once.
    ///
    /// Fails with ``/Hablare/AIServiceError/Code/invalidRequest`` (parameters, parts of messages, a prompt that is too long
    /// or against the rules of content), ``/Hablare/AIServiceError/Code/invalidConfiguration`` (no such model),
    /// ``/Hablare/AIServiceError/Code/unauthorized``, ``/Hablare/AIServiceError/Code/quotaExceeded``,
    /// ``/Hablare/AIServiceError/Code/rateLimited``, ``/Hablare/AIServiceError/Code/overloaded``, with those of a transfer, of
    /// unknown outcome where the call may have arrived, with ``/Hablare/AIServiceError/Code/invalidResponse``, and with
    /// ``/Hablare/AIServiceError/Code/providerFailed`` where the model refuses and a value tree is promised; an answer that
    /// is no JSON is text then. What came of a stream before a failure stays yielded. Cancelling the task ends the transfer.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        await Result(of: call, by: answer)
    }

    private func answer(_ call: ProviderCall) async throws(AIServiceError) -> ProviderAnswer {
        var plan = try plan(of: call.request)
        plan.conversation = try await plan.conversation.loaded()
        var exchange = TextExchange(service: service, form: form, reader: OpenAIChatReader())
        return try await exchange.run(
            ["chat", "completions"], try plan.body(), isStreamed: plan.isStreamed, for: call)
    }

    /// The call that a request becomes, its pictures unread.
    private func plan(of request: AIRequest) throws(AIServiceError) -> OpenAIChatRequest {
        OpenAIChatRequest(
            model: request.model ?? model, conversation: try OpenAIConversation(request.prompt),
            parameters: try OpenAITextParameters(request.parameters, of: id, for: .chat), form: form,
            isStreamed: form.streams(request), compatibility: service.compatibility)
    }

    /// The call that a request becomes, if it can be made: what cannot be said in a body is found out, too.
    private func checked(_ request: AIRequest) throws(AIServiceError) -> OpenAIChatRequest {
        let plan = try plan(of: request)
        _ = try plan.body()
        return plan
    }

    package func check(_ request: AIRequest) throws(AIServiceError) { _ = try checked(request) }
}
