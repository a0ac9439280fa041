import Foundation
public import Hablare
import HablareJSON

/// A provider that transcribes recordings with ElevenLabs' API `speech-to-text` (Scribe).
///
/// A request's prompt has exactly one recording (``/Hablare/Prompt/Part/audio(_:_:)``) and no text.
///
/// Parameters of a request:
/// - `language`: the language of the recording, as a tag such as `en` or `eng`. Default: the model detects the
///   language.
/// - `timestamps`: `true` (the default) or `auto` for the times of words and segments; `false` for no times.
/// - `diarize`: whether to distinguish the speakers.
/// - `num_speakers`: the maximum number of speakers, 1 to 32.
/// - `tag_audio_events`: whether to write sounds such as `(laughter)` into the text. Default: the service's default,
///   `true`.
/// - `no_verbatim`: whether to omit filler words and false starts.
/// - `temperature`: 0 to 2. `seed`: a whole number.
/// - `keyterms`: words and phrases that are likely to occur. A call with `keyterms` costs a fifth more.
/// - `extra`: additional fields of the form, sent unchanged.
///
/// The answer is text. A recording without speech has an empty text. The answer's metadata has the request id, the
/// model, the language, the length in seconds (``/Hablare/AnswerMetadata/audioSeconds``), and the times
/// (``/Hablare/AIResponseData/segmentTimes``, ``/Hablare/AIResponseData/wordTimes``). The usage is the length of the
/// audio.
public struct ElevenLabsTranscriptionProvider: AIServiceProvider, RequestChecking {
    /// The name under which the provider is registered.
    public let id: ProviderID
    /// The service that transcribes.
    public let service: ElevenLabsService
    /// The model for requests that do not name a model.
    public let model: String
    /// The provider's limits. Defaults:
    ///
    /// - Five concurrent calls, or fewer if the service reports that the plan allows fewer.
    /// - A timeout of ten minutes for an attempt.
    public let limits: ProviderLimits

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name under which the provider is registered.
    ///   - service: The service that transcribes.
    ///   - model: The model for requests that do not name a model. Default: ElevenLabs' default in the
    ///     service's ``ElevenLabsService/catalog``.
    ///   - limits: The provider's limits. Default: `nil`, for the defaults of ``limits``.
    public init(
        id: ProviderID = "elevenlabs.transcription", service: ElevenLabsService, model: String? = nil,
        limits: ProviderLimits? = nil
    ) {
        self.id = id
        self.service = service
        self.model = model ?? service.catalog.usualModel(.transcription, of: ModelInformation.elevenLabs)
        self.limits = limits ?? ProviderLimits(concurrency: 5, attemptTimeout: .seconds(600), rate: .elevenLabs)
    }

    /// The provider's kind and location, the API, and the model for requests that do not name a model.
    public var instance: ProviderInstance {
        ProviderInstance(kind: "elevenlabs", location: "\(service.client.address.text) transcription \(model)")
    }
    /// The model for requests that do not name a model. This is the value of ``model``.
    public var defaultModel: String? { model }
    /// Always text.
    public var responseType: ContentType { .text }
    /// The service's account.
    public var account: AccountID { service.account }

    /// Returns zero usage for a request that is refused, and otherwise `nil`: the length of a recording is not known
    /// before it is decoded.
    public func maximumUsage(of request: AIRequest) -> Usage? {
        do throws(AIServiceError) {
            try check(request)
            return nil
        } catch {
            return Usage(costMicroDollars: 0)  // never sent
        }
    }

    /// Transcribes a recording once. Sends the recording from its content file, piece by piece. Cancelling the task
    /// ends the transfer. A request for a retired model fails with `modelRetired` before anything is sent.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        await Result(of: call, by: answer)
    }

    private func plan(of request: AIRequest) throws(AIServiceError) -> ElevenLabsTranscriptionRequest {
        try service.checkIsOffered(request.model ?? model)
        return try ElevenLabsTranscriptionRequest(request, model: model, of: id)
    }

    private func answer(_ call: ProviderCall) async throws(AIServiceError) -> ProviderAnswer {
        let plan = try plan(of: call.request)
        let answer = try await service.client.send(try plan.post(), for: call)
        let body = try await answer.data()
        guard let value = ParameterValue(lenientJSON: body), let transcript = Transcript(elevenLabs: value) else {
            throw answer.unreadable("no transcript", keeping: body)
        }
        let usage = Usage(
            bytes: Int64(transcript.text.utf8.count), audioMilliseconds: transcript.milliseconds)
        var metadata = try transcript.metadata()
        metadata[AnswerMetadata.model] = plan.model
        metadata[AnswerMetadata.requestID] = answer.requestID
        return ProviderAnswer(.text(Body(transcript.text)), metadata: metadata, usage: usage)
    }

    package func check(_ request: AIRequest) throws(AIServiceError) {
        _ = try plan(of: request)
    }
}
