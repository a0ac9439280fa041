import Hablare

/// The body of a call of `embeddings`. Pure.
struct OpenAIEmbeddingRequest: Sendable, Hashable {
    /// How many numbers the vector is to have; `nil` for the model's own number.
    let dimensions: Int64?
    /// Whether `extra` has nothing that could cost more than the text.
    let isBounded: Bool
    let body: ParameterValue

    /// Reads a request.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for parameters that are unknown or impossible, and for a
    ///   prompt that is not only text.
    init(
        _ request: AIRequest, model usual: String, encodesVectors: Bool, of provider: ProviderID
    ) throws(AIServiceError) {
        var reader = ParameterReader(request.parameters, of: provider)
        var body: [String: ParameterValue] = [
            "model": .string(request.model ?? usual), "input": .string(try request.prompt.onlyText(for: provider)),
            "encoding_format": encodesVectors ? "base64" : "float",
        ]
        dimensions = try reader.whole("dimensions", in: 1...65_536)
        body["dimensions"] = dimensions.map { .int($0) }
        let extra = try ExtraMembers(&reader)
        isBounded = extra.areAll(in: ["user"])
        try reader.finish()
        try extra.add(to: &body)
        self.body = .object(body)
    }
}
