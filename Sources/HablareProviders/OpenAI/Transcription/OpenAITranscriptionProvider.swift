import Foundation
public import Hablare
import HablareJSON

/// A provider that transcribes recordings with the API `audio/transcriptions`, at OpenAI and at compatible servers
/// (whisper.cpp's server, faster-whisper, vLLM).
///
/// The prompt of a request has one recording (``/Hablare/Prompt/Part/audio(_:_:)``), in any of the formats that the
/// server reads. Text in the prompt guides the transcription, such as names, words, or the preceding text. OpenAI takes
/// at most 25 MiB, and a larger recording is refused before anything is sent.
///
/// Parameters of a request:
/// - `language`: the language of the recording as a tag (`en`). Default: the model detects it.
/// - `timestamps`: `true` for the times of segments and, from most servers, of words; `auto` for times if the model
///   gives them. Default: `false`. OpenAI's `whisper-1` and `gpt-4o-transcribe-diarize` give times, and its other models
///   do not, so `true` is refused for those.
/// - `temperature`: 0 to 1.
/// - `keywords`: words or phrases to expect, for `gpt-transcribe`.
/// - `extra`: additional fields of the form, sent unchanged.
///
/// The answer is text: empty for a recording without speech. Metadata: the request id, the model, the language, the
/// length in seconds (``/Hablare/AnswerMetadata/audioSeconds``), and the times
/// (``/Hablare/AIResponseData/segmentTimes``, ``/Hablare/AIResponseData/wordTimes``). Usage is what the service
/// reports: tokens, or the length of the audio.
public struct OpenAITranscriptionProvider: AIServiceProvider, RequestChecking {
    /// The name under which the provider is registered.
    public let id: ProviderID
    /// The model for requests that name none.
    public let model: String
    private let service: OpenAIService
    private let timeout: Duration

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name under which the provider is registered.
    ///   - service: The service that offers the models.
    ///   - model: The model for requests that name none. Default: `gpt-transcribe`; `whisper-1` and the models
    ///     `gpt-4o-…transcribe` end on 2027-02-26.
    ///   - timeout: The time limit of an attempt, unless a request sets one. Default: 10 minutes.
    public init(
        _ id: ProviderID, service: OpenAIService, model: String = "gpt-transcribe", timeout: Duration = .seconds(600)
    ) {
        self.id = id
        self.service = service
        self.model = model
        self.timeout = timeout
    }

    /// The instance: `openai`, the base URL, the API, and the model for requests that name none.
    public var instance: ProviderInstance { service.instance("transcription", model: model) }
    /// The model for requests that name none, ``model``.
    public var defaultModel: String? { model }
    /// Text.
    public var responseType: ContentType { .text }
    /// The service's limits, with the timeout.
    public var limits: ProviderLimits { service.limits(timeout: timeout) }
    /// The service's account for transcription.
    public var account: AccountID { service.account(of: "transcription") }

    /// Returns `nil`: the length of a recording is not known before it is decoded. A request that is refused costs
    /// nothing.
    public func maximumUsage(of request: AIRequest) -> Usage? {
        service.maximumUsage { () throws(AIServiceError) in
            _ = try plan(of: request)
            return nil
        }
    }

    /// Transcribes a recording once. The recording is sent from its content file, piece by piece.
    ///
    /// Fails with ``/Hablare/AIServiceError/Code/invalidRequest`` for an unknown or invalid parameter, or for a prompt
    /// that is not one recording. Its other errors are those of ``OpenAIChatProvider/generate(_:)``. Cancelling the
    /// task ends the transfer.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        await Result(of: call, by: answer)
    }

    private func plan(of request: AIRequest) throws(AIServiceError) -> OpenAITranscriptionRequest {
        try OpenAITranscriptionRequest(request, model: model, isOpenAI: service.isOpenAI, of: id)
    }

    private func answer(_ call: ProviderCall) async throws(AIServiceError) -> ProviderAnswer {
        let plan = try plan(of: call.request)
        let outgoing = ServiceRequest.post(
            ["audio", "transcriptions"], form: try plan.multipart(), accepts: ["application/json", "text/plain"])
        let answer = try await service.client.send(outgoing, for: call)
        let body = try await answer.data()
        let value = ParameterValue(lenientJSON: body)
        guard let transcript = Self.transcript(value, body, of: answer) else {
            throw answer.unreadable("no transcript", keeping: body)
        }
        var tokens = OpenAITokens()
        tokens.learn(value?[member: "usage"])
        var usage = tokens.usage
        usage.audioMilliseconds = transcript.milliseconds
        usage.bytes = Int64(transcript.text.utf8.count)
        var metadata = try transcript.metadata()
        metadata[AnswerMetadata.model] = plan.model
        metadata[AnswerMetadata.requestID] = answer.requestID
        return ProviderAnswer(.text(Body(transcript.text)), metadata: metadata, usage: service.charged(usage))
    }

    /// Returns the transcript of an answer; `nil` if there is none. A server that does not know the form that was asked
    /// for may answer with the bare text.
    private static func transcript(
        _ value: ParameterValue?, _ body: Data, of answer: ServiceAnswer
    ) -> Transcript? {
        if let value, case .object = value { return Transcript(openAI: value) }
        guard answer.mediaType == "text/plain" else { return nil }
        return String(validating: body, as: UTF8.self).map { Transcript(text: $0) }
    }

    package func check(_ request: AIRequest) throws(AIServiceError) { _ = try plan(of: request) }
}
