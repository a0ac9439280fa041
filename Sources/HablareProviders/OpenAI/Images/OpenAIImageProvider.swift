import Foundation
public import Hablare

/// Pictures of a text by `images/generations`; of a text and pictures, which are changed or made use of, by `images/edits`.
///
/// The pictures of the prompt are those of the user's messages, in their order: at most 16, each PNG, JPEG or WebP with fewer
/// than 50 MiB; for `dall-e-2` one, PNG, fewer than 4 MiB. What a picture is, its first bytes say. With `mask: true` the last
/// one is a mask, PNG with fewer than 4 MiB and as wide and high as the first: only where it is transparent, that is
/// changed.
///
/// One picture for each request: ask for more with ``/Hablare/AIRequest/sample``. Parameters: `size` (`1024x1024` …),
/// `mask` (a flag), `quality` (`low`, `medium`, `high` …), `background` (`transparent`, `opaque`, `auto`), `format` (`png`, `jpeg`, `webp`),
/// `extra`. Metadata of an answer: ``/Hablare/AnswerMetadata`` request id, model, revised prompt.
public struct OpenAIImageProvider: AIServiceProvider, RequestChecking {
    /// The name it is registered under.
    public let id: ProviderID
    /// The model for requests that name none.
    public let model: String
    private let service: OpenAIService
    private let timeout: Duration

    /// The largest answer: a picture of 96 MiB in base 64.
    private static let largestAnswer = 128 << 20

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name it is registered under.
    ///   - service: Where the models are.
    ///   - model: The model for requests that name none.
    ///   - timeout: How long an attempt may take unless a request says otherwise. Default: 5 minutes.
    public init(_ id: ProviderID, service: OpenAIService, model: String, timeout: Duration = .seconds(300)) {
        self.id = id
        self.service = service
        self.model = model
        self.timeout = timeout
    }

    /// `openai`, the base URL, the API, the model for requests that name none.
    public var instance: ProviderInstance { service.instance("images", model: model) }
    /// ``model``.
    public var defaultModel: String? { model }
    /// A picture.
    public var responseType: ContentType { .image }
    /// The service's, with the timeout.
    public var limits: ProviderLimits { service.limits(timeout: timeout) }
    /// The service's account for pictures.
    public var account: AccountID { service.account(of: "images") }

    /// Estimated tokens of what is sent. On the high side.
    public func units(of request: AIRequest) -> Double { Double(TokenEstimate.tokens(of: request.prompt)) }

    /// Not known, unless calls cost nothing: how many tokens a picture has depends on size, quality and model.
    public func maximumUsage(of request: AIRequest) -> Usage? {
        service.isCharged ? nil : Usage(costMicroDollars: 0)
    }

    /// Has a picture made, or changed.
    ///
    /// Fails with ``/Hablare/AIServiceError/Code/invalidRequest`` (parameters, a prompt without text or with pictures that
    /// the model does not take) and
    /// otherwise as ``OpenAIChatProvider/generate(_:)``. Cancelling the task ends the transfer.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        await Result(of: call, by: answer)
    }

    /// The call that a request becomes, its pictures unread.
    private func plan(of request: AIRequest) throws(AIServiceError) -> OpenAIImageRequest {
        try OpenAIImageRequest(request, model: model, of: id)
    }

    private func answer(_ call: ProviderCall) async throws(AIServiceError) -> ProviderAnswer {
        let plan = try plan(of: call.request)
        let outgoing = try await outgoing(plan)
        let answer = try await service.client.send(outgoing, for: call)
        let made: OpenAIImageAnswer = try await answer.json()
        var tokens = OpenAITokens()
        tokens.learn(made.usage)
        guard let picture = made.picture else {
            throw service.useless(answer.unreadable("no picture"), having: tokens.usage)
        }
        var metadata = [AnswerMetadata.model: plan.model]
        metadata[AnswerMetadata.requestID] = answer.requestID
        metadata[AnswerMetadata.revisedPrompt] = picture.revisedPrompt
        var usage = tokens.usage
        usage.bytes = Int64(picture.bytes.count)
        return ProviderAnswer(
            .image(Body(picture.bytes), picture.format), metadata: metadata, usage: service.charged(usage))
    }

    private func outgoing(_ plan: OpenAIImageRequest) async throws(AIServiceError) -> ServiceRequest {
        guard let pictures = plan.pictures else {
            return try .post(
                ["images", "generations"], json: .object(plan.members), accepts: ["application/json"],
                maximumAnswerBytes: Self.largestAnswer)
        }
        let edit = try await OpenAIImageEdit(pictures)
        return try .post(
            ["images", "edits"], form: edit.form(plan.members), accepts: ["application/json"],
            maximumAnswerBytes: Self.largestAnswer)
    }

    package func check(_ request: AIRequest) throws(AIServiceError) { _ = try plan(of: request) }
}
