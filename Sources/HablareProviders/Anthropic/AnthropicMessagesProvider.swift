import Foundation
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
/// `disabled`, `between_tools`; or the API's object) and `extra`, an object that is merged into the body.
///
/// Where the model thought, the metadata has it under ``/Hablare/AnswerMetadata/thinking``. A conversation with tools goes
/// on with the thoughts of the turns before: put the assistant's message with its text and tool calls into the prompt as it
/// was answered, and these texts as a list into the parameter `thinking_blocks`. Each finds its message by itself.
///
/// An answer that ends because of `max_tokens`, or with a refusal, is an answer: the metadata's `finish_reason` says so. A
/// structured one that is no value for such a reason fails as `invalidResponse`.
public struct AnthropicMessagesProvider: AIServiceProvider {
    /// What it answers with.
    public enum Form: String, Sendable, Hashable {
        /// Text.
        case text
        /// A value; requests need a `schema`.
        case structured
    }

    /// The name it is registered under.
    public let id: ProviderID
    /// Whom it asks.
    public let service: AnthropicService
    /// What it answers with.
    public let form: Form
    /// The model of requests that name none.
    public let model: String
    /// How many tokens an answer has at most where the request does not say; the API wants to be told. With a budget for
    /// thinking that comes on top. Default: 4096.
    public let defaultMaximumTokens: Int64
    /// How much may be asked of it. Default: four calls at once, ten minutes for an attempt (of one that streams: of
    /// silence, for a model may think long), the calls a minute of a new account until the service says otherwise.
    public let limits: ProviderLimits

    /// More text than this is not put together for a value: ten times what a model writes at most.
    private static let mostText = 4 << 20

    /// Creates a provider.
    public init(
        id: ProviderID = "anthropic", service: AnthropicService, form: Form = .text,
        model: String = "claude-sonnet-5-5", defaultMaximumTokens: Int64 = 4096,
        limits: ProviderLimits = ProviderLimits(attemptTimeout: .seconds(600), rate: .anthropic)
    ) {
        self.id = id
        self.service = service
        self.form = form
        self.model = model
        self.defaultMaximumTokens = max(1, defaultMaximumTokens)
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
    public var responseType: ContentType { form == .text ? .text : .structured }

    /// The service's.
    public var account: AccountID { service.account }

    /// Input counted high, a token for each byte of everything that is said; output up to `max_tokens`. `nil` with
    /// pictures, whose tokens depend on the model, and for parameters that are refused.
    public func maximumUsage(of request: AIRequest) -> Usage? {
        guard !request.prompt.hasImages else { return nil }
        do throws(AIServiceError) {
            let options = try options(of: request)
            let parameters = try ParameterValue.object(request.parameters).jsonData().count
            let said = request.prompt.saidBytes
            // The service adds some instructions of its own for tools.
            return Usage(inputTokens: Int64(said + parameters + 2048), outputTokens: options.maximumTokens)
        } catch {
            return nil
        }
    }

    /// Asks, and hands the text over as it comes. Cancelling the task ends the transfer.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        do throws(AIServiceError) {
            return .success(try await answer(call))
        } catch {
            return .failure(error)
        }
    }

    private func options(of request: AIRequest) throws(AIServiceError) -> AnthropicOptions {
        try AnthropicOptions(request.parameters, of: id, defaultMaximumTokens: defaultMaximumTokens)
    }

    /// The call that a request becomes.
    func request(for request: AIRequest) async throws(AIServiceError) -> ServiceRequest {
        let options = try options(of: request)
        guard form == .text || options.hasSchema else {
            throw AIServiceError(
                .invalidRequest, "Provider \(id) answers with values of a schema. Give one in the parameter schema.")
        }
        let conversation = try await AnthropicConversation(
            request.prompt, instructions: options.instructions, turns: options.turns)
        var body = options.members
        body["model"] = .string(request.model ?? model)
        body["max_tokens"] = .int(options.maximumTokens)
        body["messages"] = .array(conversation.messages)
        if let system = conversation.system { body["system"] = .string(system) }
        body.merge(options.extra) { _, extra in extra }
        body["stream"] = true
        let post = try ServiceRequest.post(
            service.path(["messages"]), json: .object(body), accepts: ["text/event-stream"])
        guard post.body.byteCount <= AnthropicService.maximumRequestBytes else {
            throw AIServiceError(
                .invalidRequest,
                "The request has \(post.body.byteCount) bytes; Anthropic takes \(AnthropicService.maximumRequestBytes). Shorten it, or scale its pictures down."
            )
        }
        return post
    }

    private func answer(_ call: ProviderCall) async throws(AIServiceError) -> ProviderAnswer {
        let post = try await request(for: call.request)
        let answer = try await service.client.send(post, for: call)
        var reader = AnthropicMessageReader()
        var text = ""
        do throws(AIServiceError) {
            _ = try await answer.forEachEvent { event in
                if let piece = try taken(event, by: &reader, of: answer), !piece.isEmpty {
                    if form == .text { try await call.yield(piece) } else { try gather(piece, into: &text) }
                }
                return !reader.isOver
            }
        } catch {
            // With all of it there, what failed is the stream's farewell.
            guard reader.isComplete else { throw error }
        }
        guard reader.isComplete else {
            throw HTTPFailure(.connectionLost, mayHaveArrived: true, cause: "the stream ended before its message")
                .error(of: answer.service, at: answer.origin)
        }
        let message: AnthropicMessage
        do throws(AnthropicMessageReader.Fault) {
            message = try AnthropicMessage(reader, requestID: answer.requestID)
        } catch {
            throw failure(error, of: answer, hasBegun: true)
        }
        guard form == .structured else {
            return ProviderAnswer(streamed: .text, metadata: message.metadata, usage: message.usage)
        }
        let value: ParameterValue
        do throws(AIServiceError) {
            value = try self.value(text, of: message)
        } catch {
            throw error.billed(.billed(message.usage))
        }
        return ProviderAnswer(.structured(value), metadata: message.metadata, usage: message.usage)
    }

    /// Puts a value's text together, up to ``mostText``.
    private func gather(_ piece: String, into text: inout String) throws(AIServiceError) {
        text += piece
        guard text.utf8.count <= Self.mostText else {
            throw AIServiceError(
                .responseTooLarge, "The answer has more than \(Self.mostText) bytes, which is not taken. Ask for less.")
        }
    }

    private func taken(
        _ event: ServerSentEvent, by reader: inout AnthropicMessageReader, of answer: ServiceAnswer
    ) throws(AIServiceError) -> String? {
        do throws(AnthropicMessageReader.Fault) {
            return try reader.take(event)
        } catch {
            throw failure(error, of: answer, hasBegun: reader.hasBegun)
        }
    }

    private func failure(
        _ fault: AnthropicMessageReader.Fault, of answer: ServiceAnswer, hasBegun: Bool
    ) -> AIServiceError {
        switch fault {
        case .malformed(let what): answer.unreadable(what)
        case .refused(let data):
            AnthropicDialect().failure(
                inStream: data, hasBegun: hasBegun, fields: answer.fields, now: answer.receivedAt)
        }
    }

    private func value(_ text: String, of message: AnthropicMessage) throws(AIServiceError) -> ParameterValue {
        if text.isEmpty, message.hasToolCalls { return .null }
        if let value = ParameterValue(json: Data(text.utf8)) { return value }
        switch message.finishReason {
        case "refusal":
            throw AIServiceError(
                .invalidResponse, "The model declines to answer. Ask for something else, or another model.")
        case "length":
            throw AIServiceError(
                .invalidResponse, "The answer was cut before its value was complete. Raise max_tokens.")
        default:
            throw AIServiceError(
                .invalidResponse, "The model's answer is no JSON. Ask it again, or a model that keeps to schemas.")
        }
    }
}

extension Prompt {
    /// Whether there is a picture in it.
    fileprivate var hasImages: Bool {
        guard case .messages(let messages) = self else { return false }
        return messages.contains { $0.parts.contains { if case .image = $0 { true } else { false } } }
    }

    /// How many bytes all that is said in it has, with what each turn and call costs beside its words.
    fileprivate var saidBytes: Int {
        guard case .messages(let messages) = self else { return plainText.utf8.count + 16 }
        return messages.reduce(0) { sum, message in
            message.parts.reduce(sum + 16) { sum, part in
                switch part {
                case .text(let text): sum + text.utf8.count + 16
                case .image: sum
                case .toolCall(let id, let name, let arguments):
                    sum + id.utf8.count + name.utf8.count + "\(arguments)".utf8.count + 64
                case .toolResult(let id, let content): sum + id.utf8.count + content.utf8.count + 64
                }
            }
        }
    }
}
