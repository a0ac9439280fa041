import Hablare

/// The body of a call of `audio/speech`. Pure.
struct OpenAISpeechRequest: Sendable, Hashable {
    let model: String
    let text: String
    let voice: String
    let format: String
    /// Whether `extra` has nothing that could cost more than the text.
    let isBounded: Bool
    let body: ParameterValue

    /// Reads a request.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for parameters that are unknown or impossible, and for a
    ///   prompt that is not only text.
    init(
        _ request: AIRequest, model usualModel: String, voice usualVoice: String, of provider: ProviderID
    ) throws(AIServiceError) {
        text = try request.prompt.onlyText(for: provider)
        model = request.model ?? usualModel
        var reader = ParameterReader(request.parameters, of: provider)
        voice = try reader.text("voice") ?? usualVoice
        guard let format = Self.format(try reader.text("format") ?? OpenAISpeechProvider.formats[0]) else {
            throw reader.refusal("format", "is none of \(OpenAISpeechProvider.formats.joined(separator: ", "))")
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
            &reader, reserving: ["stream_format": "The sound comes as bytes, which stream as they are."])
        // All that is in the API's reference and has another name here, or none.
        isBounded = extra.areAll(in: ["instructions", "speed"])
        try reader.finish()
        try extra.add(to: &body)
        self.body = .object(body)
    }

    /// The API's name of a format. It has no rates: one that has a rate, as a request has it that falls back from ElevenLabs,
    /// is made as the same kind of file.
    private static func format(_ name: String) -> String? {
        OpenAISpeechProvider.formats.contains(name) ? name : SoundFormat(name)?.audioFormat.rawValue
    }
}
