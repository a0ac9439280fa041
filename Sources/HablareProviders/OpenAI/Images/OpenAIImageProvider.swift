import Foundation
public import Hablare

/// A provider that creates or changes pictures. It uses the API `images/generations` for a text, and `images/edits` for
/// a text with pictures.
///
/// The prompt's pictures are the pictures in the user's messages, in order. There are at most 16 pictures. Each is PNG,
/// JPEG or WebP and has fewer than 50 MiB. The format of a picture is found from its first bytes. With `mask: true`,
/// the last picture is a mask: a PNG of fewer than 4 MiB with the same size as the first picture. Only the areas where
/// the mask is transparent are changed.
///
/// A request creates one picture. For several pictures, use ``/Hablare/AIRequest/sample``. Parameters of a request:
/// - `size`: such as `1024x1024`.
/// - `mask`: whether the last picture is a mask.
/// - `quality`: such as `low`, `medium` or `high`.
/// - `background`: `transparent`, `opaque`, `auto`.
/// - `format`: `png`, `jpeg`, `webp`.
/// - `extra`: additional members of the body, sent unchanged.
///
/// An answer's metadata (``/Hablare/AnswerMetadata``) has the request id, the model and the revised prompt. The usage
/// counts the prompt's tokens of pictures apart (``/Hablare/Usage/imageInputTokens``), because they have a price of
/// their own.
public struct OpenAIImageProvider: AIServiceProvider, RequestChecking {
    /// The name under which the provider is registered.
    public let id: ProviderID
    /// The model for requests that do not name a model.
    public let model: String
    private let service: OpenAIService
    private let timeout: Duration

    /// The maximum size of an answer in bytes. It is enough for a picture of 96 MiB in base64.
    private static let largestAnswer = 128 << 20

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name under which the provider is registered.
    ///   - service: The service that offers the models.
    ///   - model: The model for requests that do not name a model.
    ///   - timeout: The timeout of an attempt, unless a request sets one. Default: 5 minutes.
    public init(_ id: ProviderID, service: OpenAIService, model: String, timeout: Duration = .seconds(300)) {
        self.id = id
        self.service = service
        self.model = model
        self.timeout = timeout
    }

    /// The provider's identity: `openai`, the base URL, the API, and the model for requests that do not name a model.
    public var instance: ProviderInstance { service.instance("images", model: model) }
    /// The model for requests that do not name a model. This is the value of ``model``.
    public var defaultModel: String? { model }
    /// Always a picture.
    public var responseType: ContentType { .image }
    /// The service's limits, with this provider's timeout.
    public var limits: ProviderLimits { service.limits(timeout: timeout) }
    /// The service's account for pictures.
    public var account: AccountID { service.account(of: "images") }

    /// Returns the estimated number of tokens that are sent. The estimate is usually too high.
    public func units(of request: AIRequest) -> Double { Double(TokenEstimate.tokens(of: request.prompt)) }

    /// Returns `nil`, because the number of tokens of a picture depends on size, quality and model. If calls are free,
    /// returns a cost of zero.
    public func maximumUsage(of request: AIRequest) -> Usage? {
        service.isCharged ? nil : Usage(costMicroDollars: 0)
    }

    /// Creates or changes a picture.
    ///
    /// Fails with ``/Hablare/AIServiceError/Code/invalidRequest`` for an unknown or invalid parameter, for a prompt
    /// without text, and for a picture that the model does not accept. Its other errors are those of
    /// ``OpenAIChatProvider/generate(_:)``. Cancelling the task ends the transfer.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        await Result(of: call, by: answer)
    }

    /// Returns the service call for a request, before its pictures are read.
    private func plan(of request: AIRequest) throws(AIServiceError) -> OpenAIImageRequest {
        try service.checkIsOffered(request.model ?? model)
        return try OpenAIImageRequest(request, model: model, of: id)
    }

    private func answer(_ call: ProviderCall) async throws(AIServiceError) -> ProviderAnswer {
        let plan = try plan(of: call.request)
        let outgoing = try await outgoing(plan)
        let answer = try await service.client.send(outgoing, for: call)
        let body = try await answer.data()
        let made: OpenAIImageAnswer = try answer.json(of: body)
        var tokens = OpenAITokens()
        tokens.learn(made.usage)
        guard let picture = made.picture else {
            throw service.useless(answer.unreadable("no picture", keeping: body), having: tokens.usage)
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
