public import Foundation

/// The outcome of a request as an immutable value that crosses any actor boundary.
public struct AIResponseData: Sendable, Hashable {
    /// The request this answers.
    public let requestID: UUID
    /// The provider that answered.
    public let providerID: ProviderID
    /// The content; or, for a response that is no longer kept, why it is not
    /// (``AIServiceError/Code/responseExpired``).
    public let result: Result<ResponseContent, AIServiceError>
    /// What the provider said beside the content.
    public let metadata: [String: String]
    /// When the answer arrived.
    public let receivedAt: Date
    /// What was used, as the provider counts it.
    public let usage: Usage

    /// Creates a response.
    public init(
        requestID: UUID,
        providerID: ProviderID,
        result: Result<ResponseContent, AIServiceError>,
        metadata: [String: String] = [:],
        receivedAt: Date,
        usage: Usage = Usage()
    ) {
        self.requestID = requestID
        self.providerID = providerID
        self.result = result
        self.metadata = metadata
        self.receivedAt = receivedAt
        self.usage = usage
    }

    /// The content.
    ///
    /// - Throws: The ``AIServiceError`` of ``result``.
    public var content: ResponseContent {
        get throws(AIServiceError) { try result.get() }
    }

    /// The text of a text answer, read off the caller's actor: safe on the main actor.
    ///
    /// - Throws: The ``AIServiceError`` of ``result``; `invalidResponse` when the answer is not text; `contentMissing`.
    public func text() async throws -> String {
        guard case .text(let body) = try content else {
            throw AIServiceError(.invalidResponse, "The answer is not text. Look at `content` for what it is.")
        }
        return String(decoding: try await body.data(), as: UTF8.self)
    }
}

extension AIResponseData {
    /// The same response as the outcome of another request of its flight.
    public func addressed(to id: UUID) -> AIResponseData {
        guard id != requestID else { return self }
        return AIResponseData(
            requestID: id, providerID: providerID, result: result, metadata: metadata, receivedAt: receivedAt,
            usage: usage)
    }

    /// The response with its content given up: that it was there, when and for what, stays.
    public func evicted() -> AIResponseData {
        AIResponseData(
            requestID: requestID, providerID: providerID, result: .failure(.responseExpired), metadata: metadata,
            receivedAt: receivedAt, usage: usage)
    }
}
