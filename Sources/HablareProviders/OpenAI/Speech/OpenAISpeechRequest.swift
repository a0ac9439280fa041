import Hablare

/// The body of a call of `audio/speech`. Pure.
struct OpenAISpeechRequest: Sendable, Hashable {
    let model: String
    let text: String
    let voice: String
    let format: String
    let body: ParameterValue

    /// Reads a request.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for parameters that are unknown or impossible, and for a
    ///   prompt that is not only text.
    init(
        _ request: AIRequest, model: String, voice usual: String, of provider: ProviderID
    ) throws(AIServiceError) {
        text = try request.prompt.onlyText(for: provider)
        self.model = model
        var reader = ParameterReader(request.parameters, of: provider)
        voice = try reader.text("voice") ?? usual
        format = try reader.choice("format", of: OpenAISpeechProvider.formats) ?? OpenAISpeechProvider.formats[0]
        var body: [String: ParameterValue] = [
            "model": .string(model), "input": .string(text), "response_format": .string(format),
        ]
        body["voice"] = voice.hasPrefix("voice_") ? ["id": .string(voice)] : .string(voice)
        body["speed"] = try reader.number("speed", in: 0.25...4).map { .double($0) }
        body["instructions"] = try reader.text("instructions").map { .string($0) }
        for name in ["previous_text", "next_text", "language"] { _ = try reader.text(name) }
        for (name, value) in try reader.object("extra") ?? [:] where body.updateValue(value, forKey: name) != nil {
            throw reader.refusal("extra", "says what the request says in another way, too")
        }
        try reader.finish()
        self.body = .object(body)
    }
}

extension Prompt {
    /// Its text, where it has nothing else.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` where it has pictures or tools, or no text at all.
    func onlyText(for provider: ProviderID) throws(AIServiceError) -> String {
        if case .messages(let messages) = self {
            let isText = messages.flatMap(\.parts).allSatisfy { if case .text = $0 { true } else { false } }
            guard isText else {
                throw AIServiceError(
                    .invalidRequest, "The provider \(provider) takes text only. Leave pictures and tools out.")
            }
        }
        let text = plainText
        guard !text.allSatisfy(\.isWhitespace) else {
            throw AIServiceError(.invalidRequest, "The prompt has no text. Give the provider \(provider) some.")
        }
        return text
    }
}
