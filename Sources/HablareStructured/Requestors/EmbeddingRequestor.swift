public import Foundation
public import Hablare
import HablareJSON

/// The settings for embedding vectors. Only settings with a value are sent. For a `nil` or empty one, the provider's
/// default applies.
///
/// ```swift
/// let configuration = EmbeddingConfiguration(dimensions: 256)
/// ```
public struct EmbeddingConfiguration: Sendable, Hashable {
    /// The number of dimensions, at least 1. A model may offer only a few sizes. For example, 256 for a small index.
    public var dimensions: Int?
    /// Further parameters of the provider, merged unchanged into the sent request. For example, `["user": "7"]`.
    public var extra: [String: ParameterValue]

    /// Creates a configuration.
    public init(dimensions: Int? = nil, extra: [String: ParameterValue] = [:]) {
        self.dimensions = dimensions
        self.extra = extra
    }

    /// Returns the parameters of the requestor's requests.
    func parameters() throws(AIServiceError) -> [String: ParameterValue] {
        var writer = ParameterWriter()
        try writer.set("dimensions", dimensions, in: 1...Int.max)
        writer.setExtra(extra)
        return writer.parameters
    }
}

/// A requestor that asks a model for the embedding vectors of texts.
public struct EmbeddingRequestor: Requestor, Hashable {
    /// An embedding vector and its response.
    public struct Output: Sendable, Hashable {
        /// The vector's elements.
        public var value: [Float]
        /// The whole response, with usage, metadata and provider.
        public var response: AIResponseData
    }

    /// The requestor's name.
    public let id: RequestorID
    /// The settings for vectors.
    public let configuration: EmbeddingConfiguration
    private let parameters: [String: ParameterValue]

    /// Creates a requestor.
    ///
    /// - Parameters:
    ///   - id: A name of the form `provider.embedding.model`.
    ///   - configuration: The settings for vectors. Default: the provider's.
    /// - Throws: ``/Hablare/AIServiceError`` with code `invalidConfiguration` if the id is not valid for embeddings, or
    ///   `invalidRequest` if a setting is out of its range.
    public init(
        _ id: String, _ configuration: EmbeddingConfiguration = EmbeddingConfiguration()
    ) throws(AIServiceError) {
        self.id = try RequestorID(id, of: .embedding)
        self.configuration = configuration
        parameters = try configuration.parameters()
    }

    /// Creates a request for the vector of a prompt's plain text.
    public func request(_ prompt: Prompt, id: UUID) throws(AIServiceError) -> AIRequest {
        AIRequest(id: id, prompt: .text(prompt.plainText), model: self.id.model, parameters: parameters)
    }

    /// Reads a vector from a response.
    @concurrent public func output(of response: AIResponseData) async throws -> Output {
        guard case .embedding(let vector) = try response.content else {
            throw AIServiceError.wrongKind(try response.content.type, wanted: "a vector")
        }
        if let dimensions = configuration.dimensions, vector.count != dimensions {
            throw AIServiceError(
                .invalidResponse,
                "The vector has \(vector.count) numbers, and \(dimensions) were asked for. Take a model that has that size."
            )
        }
        return Output(value: vector, response: response)
    }

    /// Asks for the vectors of many texts. It submits one request for each text in a batch, and the provider runs them
    /// concurrently, as far as its limits allow. Texts with the same code points share one request.
    ///
    /// The requests are stored 512 at a time, and each part starts when it is stored. If a later part cannot be stored,
    /// this method throws, while the earlier parts continue and are paid for. With a job key, asking again finds them.
    /// Without one their UUIDs are unknown, and asking again pays again unless the cache has the answers. Pass a job
    /// key for more than 512 texts.
    ///
    /// - Parameters:
    ///   - texts: The texts.
    ///   - manager: The engine.
    ///   - jobKey: The name of the requests as a job. Asking again under the same key finds the existing requests and
    ///     adds the missing ones. The vectors are kept until the requests are deleted. Derive the key from the texts
    ///     and the requestor. Default `nil`: the requests belong to no job and have the usual retention.
    /// - Returns: The vectors, in the order of the texts.
    /// - Throws: The first failure in the order of the texts, with the errors of
    ///   ``Requestor/ask(_:manager:)-(AIRequest,_)`` and ``/Hablare/AIRequestManager/submit(_:to:jobKey:startingAt:)``.
    ///   The other requests continue, even if the calling task is cancelled.
    @concurrent public func ask(
        _ texts: [String], manager: AIRequestManager, jobKey: JobKey? = nil
    ) async throws -> [Output] {
        var batch: [AIRequest] = []
        var indexes: [ExactText: Int] = [:]
        var indices: [Int] = []
        for text in texts {
            let index = indexes[ExactText(text)] ?? batch.count
            if index == batch.count {
                indexes[ExactText(text)] = index
                batch.append(try request(.text(text)))
            }
            indices.append(index)
        }
        let provider = try provider(in: manager)
        let ids =
            if let jobKey {
                try await manager.submit(batch, to: provider, jobKey: jobKey)
            } else {
                try await manager.submit(together: batch, to: provider)
            }
        var outputs: [Output] = []
        for id in ids { outputs.append(try await output(of: manager.execute(requestID: id))) }
        return indices.map { outputs[$0] }
    }
}
