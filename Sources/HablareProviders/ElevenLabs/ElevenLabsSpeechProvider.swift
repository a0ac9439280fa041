import Foundation
public import Hablare

/// Speaks with the voices of ElevenLabs.
///
/// Parameters: `voice` (an id or a name of ``ElevenLabsService/voices(_:anew:)``), `format` (see ``SoundFormat``), `speed`
/// (0.7 to 1.2), `stability`, `similarity_boost` and `style` (0 to 1), `use_speaker_boost`, `seed`, `language` (a tag),
/// `previous_text` and `next_text` (what stands around the text, for a voice that goes on where it left off),
/// `timestamps`, and `extra`: members of the body beyond these, as they are. What the request says already they must not
/// say.
///
/// With `timestamps` the metadata has the times of words and sentences (``/Hablare/AnswerMetadata/wordTimes``,
/// ``/Hablare/AnswerMetadata/sentenceTimes``). A service that tells times of many more characters than the text has is not
/// believed: then there are none, and the sound is the answer all the same.
///
/// Bare samples (`pcm`, `ulaw`, `alaw`) become WAVE files. Where somebody reads along, their header goes out before anybody
/// knows the size, and says the largest there is, as streamed files do; else it is exact.
///
/// The answer's format is that of the sound which came, by its first bytes: not every server that speaks like ElevenLabs
/// makes all formats. Sound that begins like nothing known counts as what was asked for; of any other the metadata has
/// neither `output_format` nor the sample rate, and nothing is put before it.
///
/// The usage's characters are the credits that the service says it took (a voice or a model may take more or fewer than one
/// for a character), else the text's characters.
public struct ElevenLabsSpeechProvider: AIServiceProvider, RequestChecking {
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

    /// The text's characters; a voice from the library may cost more, which only the answer says. Not known where `extra`
    /// has a member of which the API's reference does not say that it leaves the price as it is.
    public func maximumUsage(of request: AIRequest) -> Usage? {
        do throws(AIServiceError) {
            let plan = try plan(of: request)
            return plan.isBounded ? Usage(characters: Int64(plan.text.unicodeScalars.count)) : nil
        } catch {
            return Usage(costMicroDollars: 0)  // never sent
        }
    }

    /// Speaks. Cancelling the task ends the transfer.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        await Result(of: call, by: answer)
    }

    /// The call that a request becomes.
    private func plan(of request: AIRequest) throws(AIServiceError) -> ElevenLabsSpeechRequest {
        try ElevenLabsSpeechRequest(
            request, model: model, voice: defaultVoice, format: defaultFormat, of: id)
    }

    private func answer(_ call: ProviderCall) async throws(AIServiceError) -> ProviderAnswer {
        let plan = try plan(of: call.request)
        let format = plan.format
        let voice = try await service.voiceID(of: plan.voice)
        let answer = try await service.client.send(
            try plan.post(voice: voice, isStreamed: call.isStreaming), for: call)
        var sound = SoundCollector(format, isStreamed: call.isStreaming)
        var times = SpeechTimes(of: plan.text)
        if plan.wantsTimes {
            try await answer.forEachLine(maximumBytes: Self.longestLine) { line in
                let piece = try timed(line, of: answer, hasBegun: sound.byteCount > 0)
                piece.add(to: &times, heard: sound.milliseconds.map { Double($0) / 1000 })
                if let ready = try take(piece.bytes, into: &sound, of: answer) { try await yield(ready, to: call) }
            }
        } else {
            try await answer.forEachPiece { piece in
                if let ready = try take(piece, into: &sound, of: answer) { try await call.yield(ready) }
            }
        }
        guard sound.byteCount > 0 else { throw answer.unreadable("an answer without sound") }
        var metadata = [AnswerMetadata.voice: voice, AnswerMetadata.model: plan.model]
        if sound.isAsAsked {
            metadata["output_format"] = format.name
            metadata[AnswerMetadata.sampleRate] = "\(format.sampleRate)"
        }
        metadata[AnswerMetadata.requestID] = answer.requestID
        metadata[AnswerMetadata.wordTimes] = try SpokenTime.metadata(times.words)
        metadata[AnswerMetadata.sentenceTimes] = try SpokenTime.metadata(times.sentences)
        let credits = ElevenLabsDialect().credits(in: answer.fields)
        metadata["credits"] = credits.map { "\($0)" }
        let usage = Usage(
            characters: credits ?? Int64(plan.text.unicodeScalars.count), bytes: Int64(sound.byteCount),
            audioMilliseconds: sound.milliseconds ?? 0)
        guard let whole = sound.finish() else {
            return ProviderAnswer(streamed: .audio(sound.audioFormat), metadata: metadata, usage: usage)
        }
        return ProviderAnswer(.audio(Body(whole), sound.audioFormat), metadata: metadata, usage: usage)
    }

    /// Hands over a piece, in smaller ones where it is larger than the engine takes at once.
    private func yield(_ bytes: Data, to call: ProviderCall) async throws {
        var rest = bytes
        repeat {
            try await call.yield(rest.prefix(Self.largestPiece))
            rest = rest.dropFirst(Self.largestPiece)
        } while !rest.isEmpty
    }

    private func take(
        _ piece: Data, into sound: inout SoundCollector, of answer: ServiceAnswer
    ) throws(AIServiceError) -> Data? {
        do throws(SoundCollector.Overflow) {
            return try sound.take(piece)
        } catch {
            throw answer.tooLarge(limit: error.limit, "Stream it, or ask for mp3.")
        }
    }

    private func timed(
        _ json: Data, of answer: ServiceAnswer, hasBegun: Bool
    ) throws(AIServiceError) -> TimedSound {
        do throws(TimedSound.Fault) {
            return try TimedSound(json: json)
        } catch {
            switch error {
            case .malformed(let what): throw answer.unreadable(what)
            case .failed:
                throw answer.withoutKey(
                    ElevenLabsDialect().failure(
                        inStream: json, hasBegun: hasBegun, fields: answer.fields, now: answer.receivedAt))
            }
        }
    }

    /// The longest line of sound with times: 16 MiB. The service says a little in each. A server that does not stream says
    /// all in one: what the default model takes at once has room in it, in the default format, some eleven minutes. To read
    /// a line takes about five times its memory.
    static let longestLine = 16 << 20
    /// The largest piece that is handed over at once: 4 MiB.
    private static let largestPiece = 4 << 20

    package func check(_ request: AIRequest) throws(AIServiceError) { _ = try plan(of: request) }
}
