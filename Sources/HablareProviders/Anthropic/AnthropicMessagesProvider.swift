public import Hablare
import HablareJSON

/// A provider that requests text, or values of a JSON schema, from a Claude model. It supports pictures, tools and
/// thinking.
///
/// The provider always asks the service for a stream, even if the request does not stream. Without a stream, no data
/// would arrive for a long time, and the connection could be closed before the answer is complete. The text also
/// reaches the store piece by piece.
///
/// Parameters of a request:
/// - `temperature` and `top_p`: 0 to 1. Models since version 5 refuse these two parameters.
/// - `max_tokens`: the maximum number of tokens in the answer, including its thinking. See ``defaultMaximumTokens``.
/// - `stop`: a list of texts at which the model stops.
/// - `tools`: the tools that the model may call.
/// - `tool_choice`: `auto`, `none`, `required`, or a tool's name.
/// - `reasoning_effort`: `low`, `medium`, `high`, `xhigh`, `max`.
/// - `schema`: a JSON schema that the answer follows, through the API's structured outputs. The provider adapts the
///   schema to the API's rules. If this is impossible, the provider puts the schema into the instructions.
/// - `schema_name`: accepted and ignored.
/// - `instructions`: a text placed before the system messages.
/// - `thinking`: a budget of at least 1,024 tokens, one of the words `adaptive`, `disabled` and `between_tools`, or an
///   object in the API's form.
/// - `thinking_blocks`: the thinking of earlier turns. See the paragraph on thinking below.
/// - `extra`: additional members of the body, sent unchanged. They must not repeat a member that the request already
///   sets.
///
/// Two kinds of requests fail before anything is sent, by the facts in ``AnthropicService/catalog``:
///
/// - a request for a retired model; the error names the model's successor;
/// - a request with a parameter that the model refuses; the error names the parameter and the model.
///
/// If the service's own tools take long, the service may pause an answer (`pause_turn`). The provider then asks the
/// service to continue, at most ``maximumContinuations`` times. The text continues at the point of the pause. The usage
/// is the sum of all calls.
///
/// If the model used thinking, the answer's metadata contains the thinking under ``/Hablare/AnswerMetadata/thinking``.
/// In a conversation with tools, the next request must send the thinking of the earlier turns again. Put the
/// assistant's message into the prompt unchanged, with its text and tool calls. Put the thinking texts as a list into
/// the parameter `thinking_blocks`. The provider finds the message that belongs to each thinking text.
///
/// If an answer ends because of `max_tokens`, or if the model refuses to answer, the answer is still valid. The
/// metadata's `finish_reason` gives the reason. For a request with a schema: an answer that is not JSON is returned as
/// text, a refusal fails with `providerFailed`, and an answer without text fails with `invalidResponse`.
public struct AnthropicMessagesProvider: AIServiceProvider, RequestChecking {
    /// The name under which the provider is registered.
    public let id: ProviderID
    /// The service that the provider calls.
    public let service: AnthropicService
    /// The form of the provider's answers: text or structured values. For structured values, each request needs a
    /// `schema`.
    public let form: AnswerForm
    /// The model for requests that do not name a model.
    public let model: String
    /// The maximum number of tokens in an answer if the request does not set `max_tokens`. The API requires a maximum.
    ///
    /// Values outside 1 to 10 million are clamped. The provider adds the request's thinking budget, or 32,000 tokens
    /// for a model that always thinks. The sum is at most the model's own limit.
    ///
    /// Default: `nil`. The maximum is then chosen for each call:
    ///
    /// - If the answer streams, the maximum is the model's own limit.
    /// - If the answer does not stream, the maximum is the number of tokens that arrive within the attempt's timeout at
    ///   128,000 tokens an hour (21,333 tokens in ten minutes). It is at most the model's limit.
    ///
    /// Tokens for thinking are included. If a model is unknown, its limit is assumed: 32,000 tokens for Anthropic's
    /// models and 4,096 tokens for others.
    public let defaultMaximumTokens: Int64?
    /// The provider's limits. Default: four concurrent calls, a timeout of ten minutes for an attempt, and the rate of
    /// a new account until the service reports another rate. For example, `ProviderLimits(concurrency: 8,
    /// attemptTimeout: .seconds(120), rate: .anthropic)`.
    ///
    /// If the answer streams, the timeout limits the time between two pieces, because a model may think for a long
    /// time.
    public let limits: ProviderLimits

    /// Creates a provider. If `model` is `nil`, requests that name no model use Anthropic's default model in the
    /// service's ``AnthropicService/catalog``.
    public init(
        id: ProviderID = "anthropic", service: AnthropicService, form: AnswerForm = .text,
        model: String? = nil, defaultMaximumTokens: Int64? = nil,
        limits: ProviderLimits = ProviderLimits(attemptTimeout: .seconds(600), rate: .anthropic)
    ) {
        self.id = id
        self.service = service
        self.form = form
        self.model = model ?? service.catalog.usualModel(.text, of: ModelInformation.anthropic)
        self.defaultMaximumTokens = defaultMaximumTokens.map {
            min(max($0, AnthropicOptions.lengths.lowerBound), AnthropicOptions.lengths.upperBound)
        }
        self.limits = limits
    }

    /// The provider's kind and location, and every setting on which answers depend.
    public var instance: ProviderInstance {
        ProviderInstance(
            kind: "anthropic",
            location:
                "\(service.client.address.text) \(form.rawValue) \(model) \(defaultMaximumTokens.map(String.init) ?? "-")"
        )
    }

    /// The model for requests that do not name a model.
    public var defaultModel: String? { model }

    /// Text or structured values, depending on ``form``.
    public var responseType: ContentType { form.type }

    /// The service's account.
    public var account: AccountID { service.account }

    /// Returns the estimated number of tokens: a third of the number of bytes, and 1,600 for each picture. The estimate
    /// is usually too high.
    public func units(of request: AIRequest) -> Double { Double(TokenEstimate.tokens(of: request.prompt)) }

    /// Returns an upper bound of the usage: one input token for each byte, and `max_tokens` output tokens.
    ///
    /// Returns `nil` in three cases:
    ///
    /// - The prompt has pictures or documents, whose token count depends on the model.
    /// - The model refuses a parameter of the request.
    /// - `extra` has a member that, according to the API's reference, may add input or change the price.
    public func maximumUsage(of request: AIRequest) -> Usage? {
        guard !request.prompt.hasFiles else { return nil }
        do throws(AIServiceError) {
            let options = try plan(of: request).options
            guard options.isBounded else { return nil }
            let said = TokenEstimate.mostTokens(of: request.prompt)
            let parameters = TokenEstimate.mostTokens(of: .object(request.parameters))
            // A fitted schema may be longer than the one in the parameters.
            let format = TokenEstimate.mostTokens(of: options.members["output_config"] ?? .null)
            // The service adds its own instructions for tools.
            return Usage(inputTokens: said + parameters + format + 2048, outputTokens: options.maximumTokens)
        } catch {
            return nil
        }
    }

    /// Sends the request and yields the text as it arrives. Cancelling the task ends the transfer.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        await Result(of: call, by: answer)
    }

    /// Returns the service call for a request, before its pictures are read.
    func plan(of request: AIRequest) throws(AIServiceError) -> AnthropicMessagesRequest {
        let model = request.model ?? model
        try service.catalog.checkIsOffered(model, of: ModelInformation.anthropic, at: service.date())
        let timeout = request.attemptTimeout ?? limits.attemptTimeout ?? .seconds(600)
        let rules = AnthropicModelRules(
            id: model, known: service.catalog.model(model, of: ModelInformation.anthropic),
            defaultTokens: defaultMaximumTokens, time: form.streams(request) ? nil : timeout)
        return try AnthropicMessagesRequest(request, form: form, rules: rules, of: id)
    }

    /// The maximum number of times that the provider continues a paused answer: 5. After that, the answer ends with the
    /// finish reason `pause_turn`.
    public static let maximumContinuations = 5

    private func answer(_ call: ProviderCall) async throws(AIServiceError) -> ProviderAnswer {
        var plan = try plan(of: call.request)
        plan.conversation = try await plan.conversation.loaded()
        let reader = AnthropicMessageReader(keepsContent: plan.options.mayPause)
        var exchange = TextExchange(service: service, form: form, reader: reader)
        var text = ""
        var answer = try await service.client.send(try post(plan.body()), for: call)
        try await exchange.receive(answer, into: &text, for: call)
        for _ in 0..<Self.maximumContinuations {
            guard let pause = exchange.reader.pause else { break }
            let body = try plan.body(continuing: pause)
            guard try body.jsonData().count <= AnthropicService.maximumRequestBytes else { break }
            do throws(AIServiceError) {
                answer = try await service.client.send(try post(body), for: call)
            } catch {
                throw exchange.afterPause(error)
            }
            exchange.reader.continues()
            try await exchange.receive(answer, into: &text, for: call)
        }
        return try exchange.ended(text, of: answer)
    }

    private func post(_ body: ParameterValue) throws(AIServiceError) -> ServiceRequest {
        try .post(service.path(["messages"]), json: body, accepts: ["text/event-stream"])
    }

    package func check(_ request: AIRequest) throws(AIServiceError) { _ = try plan(of: request) }
}

extension Prompt {
    /// Whether the prompt has content other than text and tools.
    fileprivate var hasFiles: Bool {
        parts.contains { part in
            switch part {
            case .image, .document, .audio, .link: true
            case .text, .toolCall, .toolResult: false
            }
        }
    }
}
