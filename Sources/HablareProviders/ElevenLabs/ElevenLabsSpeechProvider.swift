import Foundation
public import Hablare
import HablareJSON

/// A provider that speaks texts with the voices of ElevenLabs.
///
/// Parameters of a request:
/// - `voice`: the id or the name of one of ``ElevenLabsService/voices(_:refresh:)``.
/// - `format`: see ``SoundFormat``.
/// - `speed`: 0.7 to 1.2.
/// - `stability`, `similarity_boost` and `style`: 0 to 1.
/// - `use_speaker_boost`: a Boolean value.
/// - `seed`: a whole number.
/// - `language`: a language tag.
/// - `previous_text` and `next_text`: the surrounding text. It makes the speech continue without a break.
/// - `timestamps`: a Boolean value. See the paragraph on times below.
/// - `extra`: additional members of the body, sent unchanged. They must not repeat a member that the request already
///   sets.
///
/// With `timestamps`, the answer's metadata has the times of words and sentences
/// (``/Hablare/AnswerMetadata/wordTimes``, ``/Hablare/AnswerMetadata/sentenceTimes``). If the service reports times for
/// many more characters than the text has, the provider discards the times and returns only the sound. The provider
/// reads the answer with any media type, and in every form that servers send: a sequence of JSON objects, events, or
/// only the sound. Sound alone has no times.
///
/// Raw samples (`pcm`, `ulaw`, `alaw`) become WAVE files. In a streamed answer, the WAVE header is written before the
/// size is known, so the header states the largest possible size. Otherwise the header states the exact size.
///
/// The format of the answer is found from the first bytes of the sound, because some servers with this API cannot make
/// all formats. If the format of the first bytes is unknown, the requested format is assumed. If the format is known
/// and differs from the requested format, the metadata has no `output_format` and no sample rate, and no header is
/// added.
///
/// The number of characters in the usage is the number of credits that the service reports. A voice or a model may cost
/// more or less than one credit per character. If the service reports no credits, the usage counts the text's
/// characters.
public struct ElevenLabsSpeechProvider: AIServiceProvider, RequestChecking {
    /// The name under which the provider is registered.
    public let id: ProviderID
    /// The service that speaks.
    public let service: ElevenLabsService
    /// The model for requests that do not name a model.
    public let model: String
    /// The voice for requests that do not name a voice: an id or a name, for example `"George"`.
    public let defaultVoice: String
    /// The format for requests that do not name a format. Default: `mp3_44100_128`. For example,
    /// `SoundFormat(.pcm, sampleRate: 24_000)`.
    public let defaultFormat: SoundFormat
    /// The provider's limits. Defaults:
    ///
    /// - Five concurrent calls, or fewer if the service reports that the plan allows fewer
    ///   (``/Hablare/ReportedLimits/concurrency``).
    /// - A timeout of five minutes for an attempt.
    /// - The maximum number of characters of ``model``.
    ///
    /// For example, `ProviderLimits(concurrency: 2, attemptTimeout: .seconds(60), rate: .elevenLabs)`.
    public let limits: ProviderLimits

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name under which the provider is registered.
    ///   - service: The service that speaks.
    ///   - model: The model for requests that do not name a model. Default: ElevenLabs' default in the service's
    ///     ``ElevenLabsService/catalog``.
    ///   - defaultVoice: The voice for requests that do not name a voice, by id or name.
    ///   - defaultFormat: The format for requests that do not name a format.
    ///   - limits: The provider's limits. Default: `nil`, for the defaults of ``limits``.
    public init(
        id: ProviderID = "elevenlabs.speech", service: ElevenLabsService,
        model: String? = nil, defaultVoice: String = "JBFqnCBsd6RMkjVDRZzb",
        defaultFormat: SoundFormat = SoundFormat(.mp3, sampleRate: 44_100, kilobits: 128), limits: ProviderLimits? = nil
    ) {
        let model = model ?? service.catalog.usualModel(.speech, of: ModelInformation.elevenLabs)
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

    /// The provider's kind and location, and every setting on which answers depend.
    public var instance: ProviderInstance {
        ProviderInstance(
            kind: "elevenlabs",
            location: "\(service.client.address.text) \(model) \(defaultVoice) \(defaultFormat.name)")
    }

    /// The model for requests that do not name a model.
    public var defaultModel: String? { model }

    /// Always audio.
    public var responseType: ContentType { .audio }

    /// The service's account.
    public var account: AccountID { service.account }

    /// Returns the number of characters in the text, as an upper bound of the usage. Returns `nil` if `extra` has a
    /// member that, according to the API's reference, may change the price.
    ///
    /// A voice from the library may cost more than one credit per character. Its price is known only from the answer.
    public func maximumUsage(of request: AIRequest) -> Usage? {
        do throws(AIServiceError) {
            let plan = try plan(of: request)
            return plan.isBounded ? Usage(characters: Int64(plan.text.unicodeScalars.count)) : nil
        } catch {
            return Usage(costMicroDollars: 0)  // never sent
        }
    }

    /// Sends the request, and returns or streams the sound. Cancelling the task ends the transfer. A request for a
    /// retired model fails with `modelRetired` before anything is sent.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        await Result(of: call, by: answer)
    }

    /// Returns the service call for a request.
    private func plan(of request: AIRequest) throws(AIServiceError) -> ElevenLabsSpeechRequest {
        try service.checkIsOffered(request.model ?? model)
        return try ElevenLabsSpeechRequest(
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
            try await forEachItem(of: answer) { item in
                let bytes: Data
                switch item {
                case .sound(let piece): bytes = piece
                case .object(let json):
                    let piece = try timed(json, of: answer, hasBegun: sound.byteCount > 0)
                    piece.add(to: &times, elapsed: sound.milliseconds.map { Double($0) / 1000 })
                    bytes = piece.bytes
                }
                if let ready = try take(bytes, into: &sound, of: answer) { try await yield(ready, to: call) }
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

    /// Calls a closure for each item of an answer with times, as the item arrives.
    ///
    /// - Throws: The errors of ``ServiceAnswer/forEachPiece(_:)`` and of `each`. `responseTooLarge` for an object that
    ///   is too long. `invalidResponse` for an answer in another form. The last error keeps the answer.
    private func forEachItem(
        of answer: ServiceAnswer, _ each: (TimedAnswerReader.Item) async throws -> Void
    ) async throws(AIServiceError) {
        var reader = TimedAnswerReader(maximumBytes: Self.longestLine, maximumForeignBytes: answer.maximumBytes)
        try await answer.forEachPiece { piece in
            try await passOn(&reader, to: each, of: answer) { reader, items throws(TimedAnswerReader.Overflow) in
                try reader.read(piece, into: &items)
            }
        }
        do {
            try await passOn(&reader, to: each, of: answer) { reader, items throws(TimedAnswerReader.Overflow) in
                try reader.finish(into: &items)
            }
        } catch {
            throw answer.failure(error)
        }
        guard reader.foreign.isEmpty else {
            let kept = answer.kept(reader.foreign, isCut: reader.isForeignCut)
            throw answer.unreadable("sound with times in an unknown form", keeping: reader.foreign).keeping(kept)
        }
    }

    private func passOn(
        _ reader: inout TimedAnswerReader, to each: (TimedAnswerReader.Item) async throws -> Void,
        of answer: ServiceAnswer,
        _ read: (inout TimedAnswerReader, inout [TimedAnswerReader.Item]) throws(TimedAnswerReader.Overflow) -> Void
    ) async throws {
        var items: [TimedAnswerReader.Item] = []
        var overflow: TimedAnswerReader.Overflow?
        do throws(TimedAnswerReader.Overflow) {
            try read(&reader, &items)
        } catch {
            overflow = error
        }
        // Items before a fault count, even in the same piece.
        for item in items { try await each(item) }
        if let overflow { throw answer.tooLarge(limit: overflow.limit, in: "one piece of sound") }
    }

    /// Yields bytes to the call, in pieces that do not exceed the largest piece.
    private func yield(_ bytes: Data, to call: ProviderCall) async throws {
        var remainder = bytes
        repeat {
            try await call.yield(remainder.prefix(Self.largestPiece))
            remainder = remainder.dropFirst(Self.largestPiece)
        } while !remainder.isEmpty
    }

    private func take(
        _ piece: Data, into sound: inout SoundCollector, of answer: ServiceAnswer
    ) throws(AIServiceError) -> Data? {
        do throws(SoundCollector.Overflow) {
            return try sound.take(piece)
        } catch {
            throw answer.tooLarge(limit: error.limit, "Stream the answer, or request mp3.")
        }
    }

    private func timed(
        _ json: Data, of answer: ServiceAnswer, hasBegun: Bool
    ) throws(AIServiceError) -> TimedSound {
        do throws(TimedSound.Fault) {
            return try TimedSound(json: json)
        } catch {
            switch error {
            case .malformed(let what): throw answer.unreadable(what, keeping: json)
            case .failed:
                let failure = ElevenLabsDialect().failure(
                    inStream: json, hasBegun: hasBegun, fields: answer.fields, now: answer.receivedAt)
                throw answer.withoutKey(answer.quoting(ParameterValue(lenientJSON: json), failure))
            }
        }
    }

    /// The maximum size of an object with sound and times: 16 MiB.
    ///
    /// A server that streams sends many small objects. A server that does not stream sends all sound in one object. The
    /// limit is enough for a full text of the default model in the default format, about eleven minutes. Reading an
    /// object takes about five times the object's size in memory.
    static let longestLine = 16 << 20
    /// The largest piece that is yielded at once: 4 MiB.
    private static let largestPiece = 4 << 20

    package func check(_ request: AIRequest) throws(AIServiceError) { _ = try plan(of: request) }
}
