import Hablare

/// The body of an `audio/speech` call.
struct OpenAISpeechRequest: Sendable, Hashable {
    let model: String
    let text: String
    let voice: String
    let format: String
    /// Whether the members of `extra` leave the price of the text unchanged.
    let isBounded: Bool
    let body: ParameterValue

    /// Reads a request.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for unknown or invalid parameters, and for a prompt
    ///   that has content other than text.
    init(
        _ request: AIRequest, model usualModel: String, voice usualVoice: String, of provider: ProviderID
    ) throws(AIServiceError) {
        text = try request.prompt.onlyText(for: provider)
        model = request.model ?? usualModel
        var reader = ParameterReader(request.parameters, of: provider)
        voice = try reader.text("voice") ?? usualVoice
        guard let format = Self.format(try reader.text("format") ?? OpenAISpeechProvider.formats[0]) else {
            throw reader.refusal("format", "is not one of \(OpenAISpeechProvider.formats.joined(separator: ", "))")
        }
        self.format = format
        var body: [String: ParameterValue] = [
            "model": .string(model), "input": .string(text), "response_format": .string(format),
        ]
        body["voice"] = voice.hasPrefix("voice_") ? ["id": .string(voice)] : .string(voice)
        body["speed"] = try reader.number("speed", in: 0.25...4).map { .double($0) }
        body["instructions"] = try reader.text("instructions").map { .string($0) }
        for name in ["previous_text", "next_text", "language"] { _ = try reader.text(name) }
        let extra = try ExtraMembers(
            &reader, reserving: ["stream_format": "The audio is streamed as bytes."])
        // The only members in the API's reference that are known not to change the price.
        isBounded = extra.areAll(in: ["instructions", "speed"])
        try reader.finish()
        try extra.add(to: &body)
        self.body = .object(body)
    }

    /// Returns the API's name of a format.
    ///
    /// A format with a rate comes from a request to ElevenLabs for which this provider is the fallback. It selects the
    /// same kind of file without the rate, because the API has no rates.
    private static func format(_ name: String) -> String? {
        OpenAISpeechProvider.formats.contains(name) ? name : SoundFormat(name)?.audioFormat.rawValue
    }
}
