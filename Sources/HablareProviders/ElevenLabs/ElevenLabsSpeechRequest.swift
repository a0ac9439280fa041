import Hablare

/// A text-to-speech call.
struct ElevenLabsSpeechRequest: Sendable {
    let text: String
    let model: String
    let format: SoundFormat
    /// The voice's id or name.
    let voice: String
    /// Whether the request asks for the times of words and sentences.
    let wantsTimes: Bool
    /// Whether the members of `extra` leave the price of the text unchanged.
    let isBounded: Bool
    let body: ParameterValue

    /// Reads a request.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for unknown or invalid parameters, and for a value
    ///   that the request sets twice. Also if the prompt has content other than text, or if the text is too long for
    ///   the model.
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
            """
            The text has \(count) characters; the model \(ServiceRefusal.word(model)) accepts \(most) at once. Split \
            it.
            """
        )
    }

    /// Returns the service call.
    ///
    /// Sound with times is always requested as a stream, because a single JSON object with all the sound would take
    /// twice the memory.
    ///
    /// - Parameters:
    ///   - voice: The voice's id.
    ///   - isStreamed: Whether the caller streams the answer.
    func post(voice: String, isStreamed: Bool) throws(AIServiceError) -> ServiceRequest {
        var path = ["v1", "text-to-speech", voice]
        if isStreamed || wantsTimes { path.append("stream") }
        if wantsTimes { path.append("with-timestamps") }
        return try .post(
            path, query: [("output_format", format.name)], json: body,
            // Sound with times comes under many types, so its content decides: see `TimedAnswerReader`.
            accepts: wantsTimes ? [] : ["audio", "application/octet-stream"])
    }
}
