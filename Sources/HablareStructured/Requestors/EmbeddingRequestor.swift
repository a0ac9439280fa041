public import Foundation
public import Hablare
import HablareJSON

/// The settings for embedding vectors. Only settings that you set are sent. For a setting that is `nil` or empty, the
/// provider's default applies.
///
/// ```swift
/// let configuration = EmbeddingConfiguration(dimensions: 256)
/// ```
public struct EmbeddingConfiguration: Sendable, Hashable {
    /// The number of dimensions, at least 1. Some models accept only certain numbers. For example, 256 for a small
    /// index.
    public var dimensions: Int?
    /// Further parameters for the provider. They are added unchanged to the sent request. For example, `["user": "7"]`.
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

/// A requestor for the embedding vectors of texts.
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
    ///   - configuration: The settings for vectors. Default: those of the provider.
    /// - Throws: ``/Hablare/AIServiceError`` with code `invalidConfiguration` if the id is not valid for embeddings.
    ///   Code `invalidRequest` if a setting is out of its range.
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
                "The vector has \(vector.count) dimensions, but \(dimensions) were requested. Use a model that offers this number."
            )
        }
        return Output(value: vector, response: response)
    }

    /// Requests the vectors of many texts. Each text is a separate request. The requests are submitted together. The
    /// provider runs them concurrently, within its limits. Texts with the same Unicode code points share one request.
    ///
    /// The requests are stored in groups of 512. Each group starts as soon as it is stored. If a later group cannot be
    /// stored, this method throws an error. The earlier groups nevertheless continue, and you pay for them. If you
    /// passed a job key, a second call finds the requests of the earlier groups. Without a job key, a second call
    /// cannot find them. You then pay again for each text whose answer is not in the cache. For more than 512 texts,
    /// pass a job key.
    ///
    /// - Parameters:
    ///   - texts: The texts.
    ///   - manager: The engine.
    ///   - jobKey: The name of the job that the requests form. A second call with the same key finds the existing
    ///     requests and adds the missing requests. The vectors are kept until the requests are deleted. Compute the key
    ///     from the texts and the requestor. Default: `nil`. The requests then belong to no job, and their vectors are
    ///     kept as long as other responses.
    /// - Returns: The vectors, in the order of the texts.
    /// - Throws: If several requests fail, the error of the first of them, in the order of the texts. The errors are
    ///   those of ``Requestor/ask(_:manager:)-(AIRequest,_)`` and
    ///   ``/Hablare/AIRequestManager/submit(_:to:jobKey:startingAt:)``. The other requests continue, even if the
    ///   calling task is cancelled.
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
