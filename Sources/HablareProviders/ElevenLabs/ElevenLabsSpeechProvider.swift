import Foundation
public import Hablare

/// Speaks with the voices of ElevenLabs.
///
/// Parameters: `voice` (an id or a name of ``ElevenLabsService/voices(_:anew:)``), `format` (see ``SoundFormat``), `speed`
/// (0.7 to 1.2), `stability`, `similarity_boost` and `style` (0 to 1), `use_speaker_boost`, `seed`, `language` (a tag),
/// `previous_text` and `next_text` (what stands around the text, for a voice that goes on where it left off),
/// `timestamps`, and `extra`, an object that is merged into the body.
///
/// With `timestamps` the metadata has the times of words and sentences (``/Hablare/AnswerMetadata/wordTimes``,
/// ``/Hablare/AnswerMetadata/sentenceTimes``).
///
/// Bare samples (`pcm`, `ulaw`, `alaw`) become WAVE files. Where somebody reads along, their header goes out before anybody
/// knows the size, and says the largest there is, as streamed files do; else it is exact.
///
/// The usage's characters are the credits that the service says it took (a voice or a model may take more or fewer than one
/// for a character), else the text's characters.
public struct ElevenLabsSpeechProvider: AIServiceProvider {
    /// The name it is registered under.
    public let id: ProviderID
    /// Who speaks.
    public let service: ElevenLabsService
    /// The model of requests that name none.
    public let model: String
    /// The voice of requests that name none, by id or name.
    public let defaultVoice: String
    /// The format of requests that name none. Default: `mp3_44100_128`.
    public let defaultFormat: SoundFormat
    /// How much may be asked of it. Default: five calls at once, or fewer where the service says that the plan allows
    /// fewer (``/Hablare/ReportedLimits/concurrency``); five minutes for an attempt; the characters that ``model`` takes.
    public let limits: ProviderLimits

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name it is registered under.
    ///   - service: Who speaks.
    ///   - model: The model of requests that name none.
    ///   - defaultVoice: The voice of requests that name none, by id or name.
    ///   - defaultFormat: The format of requests that name none.
    ///   - limits: `nil`, the default: see ``limits``.
    public init(
        id: ProviderID = "elevenlabs.speech", service: ElevenLabsService,
        model: String = "eleven_multilingual_v2", defaultVoice: String = "JBFqnCBsd6RMkjVDRZzb",
        defaultFormat: SoundFormat = SoundFormat(.mp3, sampleRate: 44_100, kilobits: 128), limits: ProviderLimits? = nil
    ) {
        self.id = id
        self.service = service
        self.model = model
        self.defaultVoice = defaultVoice
        self.defaultFormat = defaultFormat
        self.limits =
            limits
            ?? ProviderLimits(
                concurrency: 5, attemptTimeout: .seconds(300),
                maximumCharacters: ElevenLabsModel.maximumCharacters(of: model), rate: .elevenLabs)
    }

    /// Kind, place, and what of it changes answers.
    public var instance: ProviderInstance {
        ProviderInstance(
            kind: "elevenlabs",
            location: "\(service.client.address.text) \(model) \(defaultVoice) \(defaultFormat.name)")
    }

    /// The model of requests that name none.
    public var defaultModel: String? { model }

    /// Sound.
    public var responseType: ContentType { .audio }

    /// The service's.
    public var account: AccountID { service.account }

    /// The text's characters; a voice from the library may cost more, which only the answer says.
    public func maximumUsage(of request: AIRequest) -> Usage? {
        Usage(characters: Int64(request.prompt.plainText.unicodeScalars.count))
    }

    /// Speaks. Cancelling the task ends the transfer.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        do throws(AIServiceError) {
            return .success(try await answer(call))
        } catch {
            return .failure(error)
        }
    }

    private func answer(_ call: ProviderCall) async throws(AIServiceError) -> ProviderAnswer {
        let options = try ElevenLabsOptions(call.request.parameters, of: id)
        let model = call.request.model ?? self.model
        let text = try text(of: call.request, for: model)
        let format = options.format ?? defaultFormat
        let voice = try await service.voiceID(of: options.voice ?? defaultVoice)
        let request = try request(
            text, model: model, voice: voice, format: format, options, isStreamed: call.isStreaming)
        let answer = try await service.client.send(request, for: call)
        var sound = SoundCollector(format, isStreamed: call.isStreaming)
        var times = SpeechTimes()
        if options.wantsTimes {
            try await takeTimed(answer, isStreamed: call.isStreaming, into: &sound, &times, for: call)
        } else {
            try await answer.forEachPiece { piece in
                if let ready = try sound.take(piece) { try await call.yield(ready) }
            }
        }
        guard sound.byteCount > 0 else { throw answer.unreadable("an answer without sound") }
        var metadata: [String: String] = [
            AnswerMetadata.voice: voice, AnswerMetadata.model: model, "output_format": format.name,
            AnswerMetadata.sampleRate: "\(format.sampleRate)",
        ]
        metadata[AnswerMetadata.requestID] = answer.requestID
        metadata[AnswerMetadata.wordTimes] = try SpokenTime.metadata(times.words)
        metadata[AnswerMetadata.sentenceTimes] = try SpokenTime.metadata(times.sentences)
        let credits = ElevenLabsDialect().credits(in: answer.fields)
        metadata["credits"] = credits.map { "\($0)" }
        let usage = Usage(
            characters: credits ?? Int64(text.unicodeScalars.count), bytes: Int64(sound.byteCount),
            audioMilliseconds: format.milliseconds(ofBytes: sound.byteCount) ?? 0)
        guard let whole = sound.finish() else {
            return ProviderAnswer(streamed: .audio(format.audioFormat), metadata: metadata, usage: usage)
        }
        return ProviderAnswer(.audio(Body(whole), format.audioFormat), metadata: metadata, usage: usage)
    }

    private func takeTimed(
        _ answer: ServiceAnswer, isStreamed: Bool, into sound: inout SoundCollector, _ times: inout SpeechTimes,
        for call: ProviderCall
    ) async throws(AIServiceError) {
        guard isStreamed else {
            let whole = try await answer.data()
            if let ready = try timed(whole, of: answer, &sound, &times) { try await yield(ready, to: call) }
            return
        }
        var lines = TimedSoundLines()
        try await answer.forEachPiece { piece in
            for line in try complete(of: answer, { () throws(TimedSound.Fault) in try lines.take(piece) }) {
                if let ready = try timed(line, of: answer, &sound, &times) { try await call.yield(ready) }
            }
        }
        if let last = lines.finish(), let ready = try timed(last, of: answer, &sound, &times) {
            try await yield(ready, to: call)
        }
    }

    /// Hands a piece over outside a transfer.
    private func yield(_ bytes: Data, to call: ProviderCall) async throws(AIServiceError) {
        do {
            try await call.yield(bytes)
        } catch {
            throw ServiceClient.failure(
                error, of: service.client.dialect.name, at: service.client.address.origin, hiding: nil)
        }
    }

    private func timed(
        _ json: Data, of answer: ServiceAnswer, _ sound: inout SoundCollector, _ times: inout SpeechTimes
    ) throws(AIServiceError) -> Data? {
        let piece = try complete(of: answer) { () throws(TimedSound.Fault) in try TimedSound(json: json) }
        piece.add(to: &times, heard: sound.secondsHeard)
        return try sound.take(piece.bytes)
    }

    private func complete<Value>(
        of answer: ServiceAnswer, _ read: () throws(TimedSound.Fault) -> Value
    ) throws(AIServiceError) -> Value {
        do throws(TimedSound.Fault) {
            return try read()
        } catch {
            throw answer.unreadable(error.what)
        }
    }

    // MARK: What is sent

    private func text(of request: AIRequest, for model: String) throws(AIServiceError) -> String {
        if case .messages(let messages) = request.prompt {
            for part in messages.flatMap(\.parts) {
                guard case .text = part else {
                    throw AIServiceError(.invalidRequest, "Provider \(id) speaks text. Leave out what is none.")
                }
            }
        }
        let text = request.prompt.plainText
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw AIServiceError(.invalidRequest, "There is nothing to say: the text is empty.")
        }
        let count = text.unicodeScalars.count
        if let most = ElevenLabsModel.maximumCharacters(of: model), count > most {
            throw AIServiceError(
                .invalidRequest,
                "The text has \(count) characters; the model \(ServiceRefusal.word(model)) takes \(most) at once. Split it."
            )
        }
        return text
    }

    /// The call that speaks a text.
    func request(
        _ text: String, model: String, voice: String, format: SoundFormat, _ options: ElevenLabsOptions,
        isStreamed: Bool
    ) throws(AIServiceError) -> ServiceRequest {
        var path = ["v1", "text-to-speech", voice]
        if isStreamed { path.append("stream") }
        if options.wantsTimes { path.append("with-timestamps") }
        let body: [String: ParameterValue] = ["text": .string(text), "model_id": .string(model)]
        return try .post(
            path, query: [("output_format", format.name)],
            json: .object(options.members.merging(body) { extra, _ in extra }),
            accepts: options.wantsTimes ? Self.timedTypes : ["audio", "application/octet-stream"],
            maximumAnswerBytes: 256 << 20)
    }

    /// A stream of objects is called by several names.
    private static let timedTypes = [
        "application/json", "application/x-ndjson", "application/jsonl", "application/octet-stream", "text/plain",
        "text/event-stream",
    ]
}
