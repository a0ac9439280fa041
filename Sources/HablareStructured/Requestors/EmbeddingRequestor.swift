public import Foundation
public import Hablare
import HablareJSON

/// What a vector is to be like. Only what is set is sent; what is `nil` or empty is as the provider has it.
public struct EmbeddingConfiguration: Sendable, Hashable {
    /// How many numbers, at least 1; models may have few sizes to choose from.
    public var dimensions: Int?
    /// What the provider understands beyond: merged into what is sent, as it is.
    public var extra: [String: ParameterValue]

    /// Creates a configuration.
    public init(dimensions: Int? = nil, extra: [String: ParameterValue] = [:]) {
        self.dimensions = dimensions
        self.extra = extra
    }

    /// The parameters of its requests.
    func parameters() throws(AIServiceError) -> [String: ParameterValue] {
        var writer = ParameterWriter()
        try writer.set("dimensions", dimensions, in: 1...Int.max)
        writer.setExtra(extra)
        return writer.parameters
    }
}

/// Asks a model for the vectors of texts.
public struct EmbeddingRequestor: Requestor, Hashable {
    /// A vector.
    public struct Output: Sendable, Hashable {
        /// The numbers.
        public var value: [Float]
        /// The whole response: usage, metadata, who answered.
        public var response: AIResponseData
    }

    /// Its name.
    public let id: RequestorID
    /// What vectors are to be like.
    public let configuration: EmbeddingConfiguration
    private let parameters: [String: ParameterValue]

    /// Creates a requestor.
    ///
    /// - Parameters:
    ///   - id: `provider.embedding.model`.
    ///   - configuration: What vectors are to be like. Default: as the provider has it.
    /// - Throws: ``/Hablare/AIServiceError``: `invalidConfiguration` where the id is none for embeddings; `invalidRequest` where a
    ///   setting is out of its range.
    public init(
        _ id: String, _ configuration: EmbeddingConfiguration = EmbeddingConfiguration()
    ) throws(AIServiceError) {
        self.id = try RequestorID(id, of: .embedding)
        self.configuration = configuration
        parameters = try configuration.parameters()
    }

    /// A request for the vector of a prompt's plain text.
    public func request(_ prompt: Prompt, id: UUID) throws(AIServiceError) -> AIRequest {
        AIRequest(id: id, prompt: .text(prompt.plainText), model: self.id.model, parameters: parameters)
    }

    /// Reads a vector.
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

    /// Asks for the vectors of many texts: one request for each, submitted together and carried out side by side, as far
    /// as the provider allows. Texts of the same code points are asked for once.
    ///
    /// They are stored 512 at a time, and run from then on. Where a later part cannot be stored, this fails, and the parts
    /// before go on and are paid for. Under a job key asking again finds them. Without one nobody knows their UUIDs, and
    /// asking again pays again, unless the cache has the answers: give a job key where there are more than 512 texts.
    ///
    /// - Parameters:
    ///   - texts: The texts.
    ///   - manager: The engine.
    ///   - jobKey: Names the requests as a job: asking again under the same key finds those that are there and adds the
    ///     missing ones, and the vectors are kept until the requests are deleted. Make it from the texts and the
    ///     requestor. Default `nil`: requests of no job, which are kept as any others.
    /// - Returns: The vectors, in the order of the texts.
    /// - Throws: as ``Requestor/ask(_:manager:)-(AIRequest,_)`` and ``/Hablare/AIRequestManager/submit(_:to:jobKey:startingAt:)``:
    ///   the first failure in the order of the texts. The other requests go on, also where the calling task is cancelled.
    @concurrent public func ask(
        _ texts: [String], manager: AIRequestManager, jobKey: JobKey? = nil
    ) async throws -> [Output] {
        var batch: [AIRequest] = []
        var indexes: [ExactText: Int] = [:]
        var places: [Int] = []
        for text in texts {
            let index = indexes[ExactText(text)] ?? batch.count
            if index == batch.count {
                indexes[ExactText(text)] = index
                batch.append(try request(.text(text)))
            }
            places.append(index)
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
        return places.map { outputs[$0] }
    }
}
