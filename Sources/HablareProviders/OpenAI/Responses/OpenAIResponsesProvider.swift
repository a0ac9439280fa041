public import Hablare

/// Language models by `responses`, OpenAI's newer API.
///
/// Parameters and metadata are those of ``OpenAIChatProvider``, with these differences: there is no `stop` and no `seed`;
/// `instructions` are the API's own; where `reasoning_effort` is set, what the model thought comes encrypted as
/// ``/Hablare/AnswerMetadata/thinking``, and goes back with `thinking_blocks` (that text, or the list in it) when a
/// conversation goes on after tools were called. Nothing is kept at the service, unless `extra` has `store`.
///
/// With `background: true` the service makes the answer whether somebody is connected or not, and keeps it (`store`, which
/// `extra` can say otherwise: then for some ten minutes). Its name is remembered before anything else is made of it
/// (``/Hablare/ProviderCall/remember(_:)``), and the next attempt goes on with it after a crash, a shutdown, a timeout or a
/// lost connection, without paying again: it asks for it with pauses that grow from 1 to 20 s, or reads the stream on where
/// the request streams. For work of hours give the request an ``/Hablare/AIRequest/attemptTimeout`` as long. A request that
/// is cancelled ends the work at the service. Where the service does not know the response any more (it was deleted, or has
/// expired), the attempt fails with ``/Hablare/AIServiceError/workLost``, and the request's
/// ``/Hablare/AIRequest/unknownOutcome`` decides whether it is begun, and paid for, again. One that failed at the service is
/// forgotten, and begun again where its failure is one that passes.
public struct OpenAIResponsesProvider: AIServiceProvider, RequestChecking {
    /// The name it is registered under.
    public let id: ProviderID
    /// The model for requests that name none.
    public let model: String
    private let service: OpenAIService
    private let form: AnswerForm
    private let timeout: Duration
    private let clock: any Clock<Duration>
    private let spawner: TaskSpawner

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name it is registered under.
    ///   - service: Where the models are.
    ///   - model: The model for requests that name none.
    ///   - form: In which form it answers.
    ///   - timeout: How long an attempt may take unless a request says otherwise; of one that streams, be silent. Default:
    ///     10 minutes.
    ///   - clock: What pauses between two questions after an answer in the background are measured by.
    ///   - taskExecutor: Where the task runs that an attempt in the background leaves its work with when it ends; give it
    ///     the engine's, ``/Hablare/EngineSeams/taskExecutor``. Default: the global executor.
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

    /// `openai`, the base URL, the API with the form of its answers, the model for requests that name none.
    public var instance: ProviderInstance { service.instance("responses \(form.rawValue)", model: model) }
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

    /// Asks the model once. Fails, and ends with its task, as ``OpenAIChatProvider/generate(_:)``; in the background also with
    /// ``/Hablare/AIServiceError/Code/workLost``.
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

    /// The call that a request becomes, its pictures unread.
    private func plan(of request: AIRequest) throws(AIServiceError) -> OpenAIResponsesRequest {
        OpenAIResponsesRequest(
            model: request.model ?? model, conversation: try OpenAIConversation(request.prompt),
            parameters: try OpenAITextParameters(request.parameters, of: id, for: .responses), form: form,
            isStreamed: form.streams(request))
    }

    /// The call that a request becomes, if it can be made: what cannot be said in a body is found out, too.
    private func checked(_ request: AIRequest) throws(AIServiceError) -> OpenAIResponsesRequest {
        let plan = try plan(of: request)
        _ = try plan.body()
        return plan
    }

    package func check(_ request: AIRequest) throws(AIServiceError) { _ = try checked(request) }
}
