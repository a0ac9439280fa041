import Hablare

/// The members of an `images/generations` or `images/edits` call.
struct OpenAIImageRequest: Sendable, Hashable {
    let model: String
    /// The members of the body.
    let members: [String: ParameterValue]
    /// The pictures to change or to use as a source; `nil` if there are none.
    let pictures: OpenAIImageEdit.Given?

    /// Reads a request.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for unknown or invalid parameters. Also for pictures
    ///   that the model does not accept, if this can be found before the pictures are read.
    init(
        _ request: AIRequest, model usual: String, of provider: ProviderID
    ) throws(AIServiceError) {
        let model = request.model ?? usual
        let (text, bodies) = try request.prompt.textAndPictures(for: provider)
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
            // These models answer with a URL by default, and only in PNG.
            guard format == nil || format == "png" else {
                throw reader.refusal("format", "cannot be chosen for this model, which makes only PNG")
            }
            members["response_format"] = "b64_json"
        }
        let extra = try ExtraMembers(&reader, reserving: ["stream": "A picture is not streamed.", "n": Self.one])
        let isMasked = try reader.flag("mask") ?? false
        try reader.finish()
        try extra.add(to: &members)
        pictures = bodies.isEmpty && !isMasked ? nil : try .init(bodies, isMasked: isMasked, model: model)
        self.members = members
    }

    private static let one = "A request makes one picture. Use `sample` for more."

    /// Returns whether a model answers with bytes in a chosen format. OpenAI's newer models do this, and refuse the
    /// parameter `response_format`.
    static func choosesFormat(_ model: String) -> Bool {
        model.hasPrefix("gpt-image") || model.hasPrefix("chatgpt-image")
    }
}
