import Hablare

/// One text of an `embeddings` call.
struct OpenAIEmbeddingRequest: Sendable, Hashable {
    /// The number of the vector's dimensions; `nil` for the model's default.
    let dimensions: Int64?
    /// Whether the members of `extra` leave the price of the text unchanged.
    let isBounded: Bool
    let text: String
    /// The body without the texts. Only requests with equal groups may share a call.
    let group: ParameterValue

    /// The estimated number of tokens. The estimate is usually too high.
    var tokens: Int64 { TokenEstimate.tokens(of: .text(text)) }

    /// Reads a request.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for unknown or invalid parameters, for a prompt that
    ///   has content other than text, and for a prompt without text.
    init(
        _ request: AIRequest, model usual: String, encodesVectors: Bool, of provider: ProviderID
    ) throws(AIServiceError) {
        var reader = ParameterReader(request.parameters, of: provider)
        text = try request.prompt.onlyText(for: provider)
        var group: [String: ParameterValue] = [
            "model": .string(request.model ?? usual), "encoding_format": encodesVectors ? "base64" : "float",
        ]
        dimensions = try reader.whole("dimensions", in: 1...65_536)
        group["dimensions"] = dimensions.map { .int($0) }
        let extra = try ExtraMembers(&reader, reserving: ["input": "The prompt is the input."])
        isBounded = extra.areAll(in: ["user"])
        try reader.finish()
        try extra.add(to: &group)
        self.group = .object(group)
    }

    /// Returns the body of a call with these requests' texts. The requests must have equal groups.
    static func body(of requests: [OpenAIEmbeddingRequest]) -> ParameterValue {
        guard let first = requests.first, case .object(var body) = first.group else { return .null }
        body["input"] = requests.count == 1 ? .string(first.text) : .array(requests.map { .string($0.text) })
        return .object(body)
    }
}
