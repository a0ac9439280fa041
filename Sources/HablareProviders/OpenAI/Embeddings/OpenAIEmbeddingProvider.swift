import Foundation
public import Hablare
import HablareJSON

/// A provider that computes the vector of a text with the API `embeddings`.
///
/// Parameters of a request: `dimensions` (the number of the vector's dimensions, if the model allows a choice),
/// `extra`. Metadata of an answer: ``/Hablare/AnswerMetadata`` request id and model.
public struct OpenAIEmbeddingProvider: AIServiceProvider, RequestChecking {
    /// The name under which the provider is registered.
    public let id: ProviderID
    /// The model for requests that name none.
    public let model: String
    private let service: OpenAIService
    private let timeout: Duration

    /// The maximum size of an answer in bytes: the longest vector, each of its numbers with 60 digits.
    private static let largestAnswer = 4 << 20

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name under which the provider is registered.
    ///   - service: The service that offers the models.
    ///   - model: The model for requests that name none.
    ///   - timeout: The time limit of an attempt, unless a request sets one. Default: a minute.
    public init(_ id: ProviderID, service: OpenAIService, model: String, timeout: Duration = .seconds(60)) {
        self.id = id
        self.service = service
        self.model = model
        self.timeout = timeout
    }

    /// The instance: `openai`, the base URL, the API, and the model for requests that name none.
    public var instance: ProviderInstance { service.instance("embeddings", model: model) }
    /// The model for requests that name none, ``model``.
    public var defaultModel: String? { model }
    /// A vector.
    public var responseType: ContentType { .embedding }
    /// The service's limits, with the timeout.
    public var limits: ProviderLimits { service.limits(timeout: timeout) }
    /// The service's account for vectors.
    public var account: AccountID { service.account(of: "embeddings") }

    /// Returns the estimated number of tokens: a third of the bytes. The estimate is on the high side.
    public func units(of request: AIRequest) -> Double { Double(TokenEstimate.tokens(of: request.prompt)) }

    /// Returns a token for each byte; `nil` if `extra` has a member that may cost more (any but `user`).
    public func maximumUsage(of request: AIRequest) -> Usage? {
        service.maximumUsage { () throws(AIServiceError) in
            guard try plan(of: request).isBounded else { return nil }
            return Usage(inputTokens: TokenEstimate.mostTokens(of: request.prompt))
        }
    }

    /// Creates a vector of a text.
    ///
    /// Fails with ``/Hablare/AIServiceError/Code/invalidRequest`` for an unknown or invalid parameter, or for a prompt
    /// that has more than text. Its other errors are those of ``OpenAIChatProvider/generate(_:)``. Also fails with
    /// `invalidResponse` for a vector of another length than requested. Cancelling the task ends the transfer.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        await Result(of: call, by: answer)
    }

    /// Returns the service call for a request.
    private func plan(of request: AIRequest) throws(AIServiceError) -> OpenAIEmbeddingRequest {
        try OpenAIEmbeddingRequest(
            request, model: model, encodesVectors: service.compatibility.encodesVectors, of: id)
    }

    private func answer(_ call: ProviderCall) async throws(AIServiceError) -> ProviderAnswer {
        let request = try plan(of: call.request)
        let answer = try await service.client.send(
            .post(
                ["embeddings"], json: request.body, accepts: ["application/json"],
                maximumAnswerBytes: Self.largestAnswer), for: call)
        let list: OpenAIVectorList = try await answer.json()
        var tokens = OpenAITokens()
        tokens.learn(list.usage)
        let usage = Usage(inputTokens: tokens.usage.inputTokens)
        guard list.data?.count == 1, let vector = list.data?.first?.embedding?.vector else {
            throw service.useless(answer.unreadable("no vector"), having: usage)
        }
        guard request.dimensions == nil || request.dimensions == Int64(vector.count) else {
            throw service.useless(answer.unreadable("a vector of \(vector.count) numbers"), having: usage)
        }
        var metadata: [String: String] = [:]
        metadata[AnswerMetadata.requestID] = answer.requestID
        metadata[AnswerMetadata.model] = list.model?.string.map { answer.key?.hidden(in: $0) ?? $0 }
        return ProviderAnswer(.embedding(vector), metadata: metadata, usage: service.charged(usage))
    }

    package func check(_ request: AIRequest) throws(AIServiceError) { _ = try plan(of: request) }
}
