import Hablare

/// The members of a call of `images/generations` or `images/edits`. Pure.
struct OpenAIImageRequest: Sendable, Hashable {
    let model: String
    /// The members.
    let members: [String: ParameterValue]
    /// Whether the last picture of the prompt is a mask.
    let isMasked: Bool

    /// Reads a request.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for parameters that are unknown or impossible.
    init(
        _ request: AIRequest, text: String, model: String, of provider: ProviderID
    ) throws(AIServiceError) {
        self.model = model
        var reader = ParameterReader(request.parameters, of: provider)
        var members: [String: ParameterValue] = ["model": .string(model), "prompt": .string(text), "n": 1]
        members["size"] = try reader.text("size").map { .string($0) }
        members["quality"] = try reader.text("quality").map { .string($0) }
        members["background"] = try reader.choice("background", of: ["transparent", "opaque", "auto"])
            .map { .string($0) }
        let format = try reader.choice("format", of: ["png", "jpeg", "webp"])
        if Self.choosesFormat(model) {
            members["output_format"] = format.map { .string($0) }
        } else {
            // These answer with an address unless they are told otherwise, and in PNG.
            guard format == nil || format == "png" else {
                throw reader.refusal("format", "cannot be chosen for this model, which makes PNG")
            }
            members["response_format"] = "b64_json"
        }
        for (name, value) in try reader.object("extra") ?? [:] where members.updateValue(value, forKey: name) != nil {
            throw reader.refusal("extra", "says what the request says in another way, too")
        }
        isMasked = try reader.flag("mask") ?? false
        try reader.finish()
        self.members = members
    }

    /// Whether a model answers with bytes, in a format of one's choice: OpenAI's newer ones, which take no
    /// `response_format`.
    static func choosesFormat(_ model: String) -> Bool {
        model.hasPrefix("gpt-image") || model.hasPrefix("chatgpt-image")
    }
}
