import Hablare

/// The body of an `embeddings` call. Pure.
struct OpenAIEmbeddingRequest: Sendable, Hashable {
    /// The number of the vector's dimensions; `nil` for the model's default.
    let dimensions: Int64?
    /// Whether `extra` leaves the price of the text unchanged.
    let isBounded: Bool
    let body: ParameterValue

    /// Reads a request.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for unknown or invalid parameters, and for a prompt
    ///   that has more than text.
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
