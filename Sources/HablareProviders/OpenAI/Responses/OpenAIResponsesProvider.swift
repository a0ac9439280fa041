public import Hablare

/// A provider for language models with the API `responses`, OpenAI's newer API.
///
/// Parameters and metadata are those of ``OpenAIChatProvider``, with these differences. The parameters `stop` and
/// `seed` do not exist. `instructions` is sent as the API's own member, not as a message. The service does not store
/// the response, unless `extra` sets `store`.
///
/// The answer is the text of the final messages. Messages of the phase `commentary`, in which the model comments on its
/// work, are not part of the answer. Their text is in the metadata, under `AnswerMetadata.commentary`.
///
/// The output may contain reasoning, phases or items of other kinds. If it does, all its items are kept unchanged and
/// in order, as ``/Hablare/AnswerMetadata/thinking``. Reasoning is encrypted: the provider asks for that
/// (`reasoning.encrypted_content`) if the request sets an effort, or if the catalog says that the model reasons. When
/// the conversation continues, pass this text back in the parameter `thinking_blocks`, or pass a list with one such
/// text for each turn. The items then replace the assistant's turn that has the same text and calls. A list that has
/// only reasoning items is sent before the assistant's last turn. Reasoning that is not encrypted is left out, unless
/// the service stores responses.
///
/// With `background: true`, the service produces the answer independently of the connection and stores it. If `extra`
/// turns `store` off, the service keeps the answer for only about ten minutes. The provider first stores the response's
/// id (``/Hablare/ProviderCall/remember(_:)``). After a crash, a shutdown, a timeout or a lost connection, the next
/// attempt resumes the response without paying again. If the request streams, the attempt resumes the stream. Otherwise
/// it polls, with pauses that grow from 1 to 20 s. For work that takes hours, set the request's
/// ``/Hablare/AIRequest/attemptTimeout``.
///
/// If you cancel a request, the provider cancels its response at the service. If the service no longer knows the
/// response, because it was deleted or has expired, the attempt fails with ``/Hablare/AIServiceError/workLost``. The
/// request's ``/Hablare/AIRequest/unknownOutcome`` then decides whether the work is started again, which costs the
/// price again. If the response failed at the service, the provider removes the stored id. A temporary failure is
/// retried with a new response.
public struct OpenAIResponsesProvider: AIServiceProvider, RequestChecking {
    /// The name under which the provider is registered.
    public let id: ProviderID
    /// The model for requests that do not name a model.
    public let model: String
    let service: OpenAIService
    let form: AnswerForm
    private let timeout: Duration
    private let clock: any Clock<Duration>
    private let spawner: TaskSpawner

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name under which the provider is registered.
    ///   - service: The service that offers the models.
    ///   - model: The model for requests that do not name a model.
    ///   - form: The form of the answers.
    ///   - timeout: The timeout of an attempt, unless a request sets one. For a streaming attempt, it limits the time
    ///     between two pieces. Default: 10 minutes.
    ///   - clock: The clock for the pauses between polls of a background response.
    ///   - taskExecutor: The executor of the task in which an ending attempt stores the resume handle of its background
    ///     response. Pass the engine's executor, ``/Hablare/EngineSeams/taskExecutor``. Default: the global executor.
    public init(
        _ id: ProviderID, service: OpenAIService, model: String, form: AnswerForm = .text,
        timeout: Duration = .seconds(600), clock: any Clock<Duration> = ContinuousClock(),
        taskExecutor: (any TaskExecutor)? = nil
    ) {
        self.id = id
        self.service = service
        self.model = model
        self.form = form
        self.timeout = timeout
        self.clock = clock
        spawner = TaskSpawner(executor: taskExecutor)
    }

    /// The provider's identity: `openai`, the base URL, the API with the form of its answers, and the model for
    /// requests that do not name a model.
    public var instance: ProviderInstance { service.instance("responses \(form.rawValue)", model: model) }
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

    /// Sends the request to the model once. Errors and cancellation are those of ``OpenAIChatProvider/generate(_:)``. A
    /// background request may also fail with ``/Hablare/AIServiceError/Code/workLost``.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        await Result(of: call, by: answer)
    }

    private func answer(_ call: ProviderCall) async throws(AIServiceError) -> ProviderAnswer {
        var plan = try plan(of: call.request)
        plan.conversation = try await plan.conversation.loaded()
        var exchange = TextExchange(service: service, form: form, reader: OpenAIResponsesReader())
        guard plan.parameters.isInBackground else {
            return try await exchange.run(["responses"], try plan.body(), isStreamed: plan.isStreamed, for: call)
        }
        var run = OpenAIBackgroundRun(
            call, exchange: exchange, includesThoughts: plan.parameters.includesThoughts, clock: clock,
            spawner: spawner)
        return try await run.run(try plan.body())
    }

    /// Returns the service call for a request, before its pictures are read.
    func plan(of request: AIRequest) throws(AIServiceError) -> OpenAIResponsesRequest {
        let model = request.model ?? model
        try service.checkIsOffered(model)
        var parameters = try OpenAITextParameters(
            request.parameters, of: id, for: .responses, schemas: service.compatibility.schemas)
        parameters.obeyResponses(service.catalog.model(model, of: ModelInformation.openAI))
        return OpenAIResponsesRequest(
            model: model,
            conversation: try OpenAIConversation(request.prompt, taking: OpenAIResponsesRequest.kinds, of: id),
            parameters: parameters, form: form, isStreamed: form.streams(request))
    }

    /// Returns the service call for a request. Throws an error if the call's body cannot be made.
    private func checked(_ request: AIRequest) throws(AIServiceError) -> OpenAIResponsesRequest {
        let plan = try plan(of: request)
        _ = try plan.body()
        return plan
    }

    package func check(_ request: AIRequest) throws(AIServiceError) { _ = try checked(request) }
}
