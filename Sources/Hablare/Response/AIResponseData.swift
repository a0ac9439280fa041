public import Foundation

/// The response to a request, as an immutable value that can be passed to any actor.
public struct AIResponseData: Sendable, Hashable, Codable {
    /// The parts are in one heap object, because a response is copied many times on its way to the store and to its
    /// waiters.
    private struct Parts: Sendable, Hashable {
        let requestID: UUID
        let providerID: ProviderID
        let result: Result<ResponseContent, AIServiceError>
        let metadata: [String: String]
        let receivedAt: Date
        let usage: Usage
    }

    private let parts: Box<Parts>

    /// The id of the answered request.
    public var requestID: UUID { parts.value.requestID }
    /// The provider that answered.
    public var providerID: ProviderID { parts.value.providerID }
    /// The content of the answer. If the response is no longer kept, the result is a failure with
    /// ``AIServiceError/Code/responseExpired``.
    public var result: Result<ResponseContent, AIServiceError> { parts.value.result }
    /// Details of the answer that the provider reported, such as the model or the finish reason. The keys are listed in
    /// ``AnswerMetadata``. Providers may define more keys.
    public var metadata: [String: String] { parts.value.metadata }
    /// The date at which the answer arrived.
    public var receivedAt: Date { parts.value.receivedAt }
    /// The usage, as the provider counts it.
    public var usage: Usage { parts.value.usage }

    /// Creates a response.
    public init(
        requestID: UUID,
        providerID: ProviderID,
        result: Result<ResponseContent, AIServiceError>,
        metadata: [String: String] = [:],
        receivedAt: Date,
        usage: Usage = Usage()
    ) {
        parts = Box(
            Parts(
                requestID: requestID, providerID: providerID, result: result, metadata: metadata,
                receivedAt: receivedAt, usage: usage))
    }

    private enum CodingKeys: String, CodingKey {
        case requestID, providerID, content, error, metadata, receivedAt, usage
    }

    /// Decodes a response.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let result: Result<ResponseContent, AIServiceError> =
            if let error = try container.decodeIfPresent(AIServiceError.self, forKey: .error) {
                .failure(error)
            } else {
                .success(try container.decode(ResponseContent.self, forKey: .content))
            }
        self.init(
            requestID: try container.decode(UUID.self, forKey: .requestID),
            providerID: try container.decode(ProviderID.self, forKey: .providerID), result: result,
            metadata: try container.decode([String: String].self, forKey: .metadata),
            receivedAt: try container.decode(Date.self, forKey: .receivedAt),
            usage: try container.decode(Usage.self, forKey: .usage))
    }

    /// Encodes the response, with its properties under their names, and the result as `content` or `error`. Reads the
    /// content file if the content is in a file.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(requestID, forKey: .requestID)
        try container.encode(providerID, forKey: .providerID)
        switch result {
        case .success(let content): try container.encode(content, forKey: .content)
        case .failure(let error): try container.encode(error, forKey: .error)
        }
        try container.encode(metadata, forKey: .metadata)
        try container.encode(receivedAt, forKey: .receivedAt)
        try container.encode(usage, forKey: .usage)
    }

    /// The content.
    ///
    /// - Throws: The ``AIServiceError`` of ``result``.
    public var content: ResponseContent {
        get throws(AIServiceError) { try result.get() }
    }

    /// Returns the text of a text answer. Reads the text off the caller's actor, so you can call this method on the
    /// main actor. Cancelling the task does not stop the reading.
    ///
    /// - Throws: The ``AIServiceError`` of ``result``; `invalidResponse` if the answer is not text; or the errors of
    ///   ``Body/read()``.
    public func text() async throws -> String {
        guard case .text(let body) = try content else {
            throw AIServiceError(.invalidResponse, "The answer is not text. Read `content` instead.")
        }
        return String(decoding: try await body.data(), as: UTF8.self)
    }
}

extension AIResponseData: CustomStringConvertible {
    /// A description with the provider, the request, and the kind and size of the content. It does not contain the
    /// content itself.
    public var description: String {
        switch result {
        case .success(let content):
            let bytes = content.body.map { ", \($0.byteCount) bytes" } ?? ""
            return "\(content.type.rawValue)\(bytes) from \(providerID) for request \(requestID)"
        case .failure(let error):
            return "\(error.code.rawValue) from \(providerID) for request \(requestID)"
        }
    }
}

extension AIResponseData {
    /// Returns a copy of the response for another request of the same flight. Requests of one flight share a call.
    public func addressed(to id: UUID) -> AIResponseData {
        guard id != requestID else { return self }
        return AIResponseData(
            requestID: id, providerID: providerID, result: result, metadata: metadata, receivedAt: receivedAt,
            usage: usage)
    }

    /// Returns the response without its content. The request, the provider, the date and the usage stay.
    public func evicted() -> AIResponseData {
        AIResponseData(
            requestID: requestID, providerID: providerID, result: .failure(.responseExpired), metadata: metadata,
            receivedAt: receivedAt, usage: usage)
    }
}
