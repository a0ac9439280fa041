public import Hablare

/// A provider for language models with the API `chat/completions`. Most other servers also offer this API.
///
/// Parameters of a request:
/// - `temperature`: 0 to 2. `top_p`: 0 to 1.
/// - `max_tokens`, `seed`, `reasoning_effort`.
/// - `stop`: a list of texts at which the model stops.
/// - `instructions`: a system message that precedes all other messages.
/// - `tools`: the tools that the model may call. `tool_choice`: `auto`, `none`, `required` or a tool's name. Some
///   models accept tools in this API only without reasoning. The provider then sends the `reasoning_effort` `none`, and
///   refuses any other value.
/// - `thinking_blocks`: the thinking of earlier turns. It is checked. It is sent only to a server that wants the
///   reasoning of turns with tool calls back (``OpenAICompatibility/returnsReasoning``).
/// - `schema`: the JSON schema that the answer follows. `schema_name`: the schema's name. The provider adapts the
///   schema to OpenAI's rules for strict schemas; an optional member may then be null in the answer. If these rules
///   cannot express the schema, or if the server has no such rules (``OpenAICompatibility/fitsSchemas``), the provider
///   sends the schema unchanged and not strict. Always check the answer against the schema (`StructuredRequestor`
///   does).
/// - `extra`: additional members of the body, sent unchanged.
///
/// An answer's metadata (``/Hablare/AnswerMetadata``) has:
///
/// - the request id and the model;
/// - the finish reason, which is `refusal` if the text is the model's refusal;
/// - the tool calls; if `max_tokens` cut the answer off, an incomplete last call is left out;
/// - the numbers of cached tokens, cache write tokens and reasoning tokens.
///
/// The provider asks the service for a stream only if the request streams. There are two reasons: some models require a
/// verified account for streams, and an answer that is not a stream always reports its usage.
public struct OpenAIChatProvider: AIServiceProvider, RequestChecking {
    /// The name under which the provider is registered.
    public let id: ProviderID
    /// The model for requests that do not name a model.
    public let model: String
    let service: OpenAIService
    let form: AnswerForm
    private let timeout: Duration

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name under which the provider is registered.
    ///   - service: The service that offers the models.
    ///   - model: The model for requests that do not name a model.
    ///   - form: The form of the answers.
    ///   - timeout: The timeout of an attempt, unless a request sets one. For a streaming attempt, it limits the time
    ///     between two pieces. Reasoning models may take minutes. Default: 10 minutes.
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

    /// The provider's identity: `openai`, the base URL, the API with the form of its answers, and the model for
    /// requests that do not name a model.
    public var instance: ProviderInstance { service.instance("chat \(form.rawValue)", model: model) }
    /// The model for requests that do not name a model. This is the value of ``model``.
    public var defaultModel: String? { model }
    /// The type of the answers: text, or a JSON value if the provider was created with ``AnswerForm/structured``.
    public var responseType: ContentType { form.type }
    /// The service's limits, with this provider's timeout.
    public var limits: ProviderLimits { service.limits(timeout: timeout) }
    /// The service's account for text. All APIs for text share this account.
    public var account: AccountID { service.account(of: "text") }

    /// Returns the estimated number of tokens: a third of the number of bytes, and 1,600 for each picture. The estimate
    /// is usually too high.
    public func units(of request: AIRequest) -> Double { Double(TokenEstimate.tokens(of: request.prompt)) }

    /// Returns an upper bound of the usage: one input token for each byte sent, and `max_tokens` output tokens.
    ///
    /// Returns `nil` if the request does not set `max_tokens`, or if `extra` has a member that, according to the API's
    /// reference, may add input or change the price.
    public func maximumUsage(of request: AIRequest) -> Usage? {
        service.maximumUsage { () throws(AIServiceError) in
            try checked(request).parameters.maximumUsage(of: request.prompt)
        }
    }

    /// Sends the request to the model once.
    ///
    /// Fails with:
    /// - ``/Hablare/AIServiceError/Code/invalidRequest`` for invalid parameters or message parts, and for a prompt that
    ///   is too long or violates the content policy;
    /// - ``/Hablare/AIServiceError/Code/invalidConfiguration`` for an unknown model;
    /// - ``/Hablare/AIServiceError/Code/unauthorized``, ``/Hablare/AIServiceError/Code/quotaExceeded``,
    ///   ``/Hablare/AIServiceError/Code/rateLimited`` and ``/Hablare/AIServiceError/Code/overloaded``;
    /// - the errors of a transfer, with an unknown outcome if the call may have arrived;
    /// - ``/Hablare/AIServiceError/Code/invalidResponse``;
    /// - ``/Hablare/AIServiceError/Code/providerFailed`` if the model refuses to answer and the provider's
    ///   response type is a JSON value.
    ///
    /// If the provider's response type is a JSON value, an answer that is not JSON is returned as text. Pieces of a
    /// stream that were yielded before a failure are not taken back. Cancelling the task ends the transfer.
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

    /// Returns the service call for a request, before its pictures are read.
    func plan(of request: AIRequest) throws(AIServiceError) -> OpenAIChatRequest {
        let model = request.model ?? model
        try service.checkIsOffered(model)
        var parameters = try OpenAITextParameters(
            request.parameters, of: id, for: .chat, schemas: service.compatibility.schemas)
        try parameters.obeyChat(service.catalog.model(model, of: ModelInformation.openAI))
        return OpenAIChatRequest(
            model: model,
            conversation: try OpenAIConversation(request.prompt, taking: OpenAIChatRequest.kinds, of: id),
            parameters: parameters, form: form, isStreamed: form.streams(request), compatibility: service.compatibility)
    }

    /// Returns the service call for a request. Throws an error if the call's body cannot be made.
    private func checked(_ request: AIRequest) throws(AIServiceError) -> OpenAIChatRequest {
        let plan = try plan(of: request)
        _ = try plan.body()
        return plan
    }

    package func check(_ request: AIRequest) throws(AIServiceError) { _ = try checked(request) }
}
