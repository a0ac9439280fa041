import Hablare

/// A call that speaks a text. Pure.
struct ElevenLabsSpeechRequest: Sendable {
    let text: String
    let model: String
    let format: SoundFormat
    /// By id or name.
    let voice: String
    /// Whether the times of words and sentences are wanted.
    let wantsTimes: Bool
    /// Whether `extra` has nothing that could cost more than the text.
    let isBounded: Bool
    let body: ParameterValue

    /// Reads a request.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for parameters that are unknown or impossible, for what the
    ///   request says twice, and for a prompt that is not only text, or is longer than the model takes.
    init(
        _ request: AIRequest, model usualModel: String, voice usualVoice: String, format usualFormat: SoundFormat,
        of provider: ProviderID
    ) throws(AIServiceError) {
        let options = try ElevenLabsOptions(request.parameters, of: provider)
        text = try request.prompt.onlyText(for: provider)
        model = request.model ?? usualModel
        format = options.format ?? usualFormat
        voice = options.voice ?? usualVoice
        wantsTimes = options.wantsTimes
        isBounded = options.isBounded
        var body = options.members
        body["text"] = .string(text)
        body["model_id"] = .string(model)
        try options.extra.add(to: &body)
        self.body = .object(body)
        let count = text.unicodeScalars.count
        guard let most = ElevenLabsModel.maximumCharacters(of: model), count > most else { return }
        throw AIServiceError(
            .invalidRequest,
            "The text has \(count) characters; the model \(ServiceRefusal.word(model)) takes \(most) at once. Split it."
        )
    }

    /// The call.
    ///
    /// Sound with times is always asked for as a stream: as one object it would have to be whole in memory, twice.
    ///
    /// - Parameters:
    ///   - voice: The id of the voice.
    ///   - isStreamed: Whether somebody reads along.
    func post(voice: String, isStreamed: Bool) throws(AIServiceError) -> ServiceRequest {
        var path = ["v1", "text-to-speech", voice]
        if isStreamed || wantsTimes { path.append("stream") }
        if wantsTimes { path.append("with-timestamps") }
        return try .post(
            path, query: [("output_format", format.name)], json: body,
            accepts: wantsTimes ? Self.timedTypes : ["audio", "application/octet-stream"])
    }

    /// A stream of objects is called by several names.
    private static let timedTypes = [
        "application/json", "application/x-ndjson", "application/jsonl", "application/octet-stream", "text/plain",
    ]
}
