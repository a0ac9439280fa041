import Foundation
public import Hablare
import HablareJSON

/// A provider that transcribes recordings with the API `audio/transcriptions`. OpenAI and compatible servers offer it,
/// such as whisper.cpp's server, faster-whisper and vLLM.
///
/// A request's prompt has one recording (``/Hablare/Prompt/Part/audio(_:_:)``), in any format that the server reads.
/// The prompt may also have text that guides the transcription, such as names, words, or the preceding text. OpenAI
/// accepts at most 25 MiB. A larger recording is refused before anything is sent.
///
/// Parameters of a request:
/// - `language`: the language of the recording, as a tag such as `en`. Default: the model detects the language.
/// - `timestamps`: `true` for the times of segments and, with most servers, of words; `auto` for times if the model can
///   give them. Default: `false`. OpenAI's `whisper-1` and `gpt-4o-transcribe-diarize` can give times. OpenAI's other
///   models cannot, so `true` is refused for them.
/// - `temperature`: 0 to 1.
/// - `keywords`: words or phrases that are likely to occur. Only for `gpt-transcribe`.
/// - `extra`: additional fields of the form, sent unchanged.
///
/// The answer is text. A recording without speech has an empty text. The answer's metadata has the request id, the
/// model, the language, the length in seconds (``/Hablare/AnswerMetadata/audioSeconds``), and the times
/// (``/Hablare/AIResponseData/segmentTimes``, ``/Hablare/AIResponseData/wordTimes``). The usage is what the service
/// reports: a number of tokens, or the length of the audio.
public struct OpenAITranscriptionProvider: AIServiceProvider, RequestChecking {
    /// The name under which the provider is registered.
    public let id: ProviderID
    /// The model for requests that do not name a model.
    public let model: String
    private let service: OpenAIService
    private let timeout: Duration

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name under which the provider is registered.
    ///   - service: The service that offers the models.
    ///   - model: The model for requests that do not name a model. Default: OpenAI's default in the service's
    ///     ``OpenAIService/catalog``.
    ///   - timeout: The timeout of an attempt, unless a request sets one. Default: 10 minutes.
    public init(
        _ id: ProviderID, service: OpenAIService, model: String? = nil, timeout: Duration = .seconds(600)
    ) {
        self.id = id
        self.service = service
        self.model = model ?? service.catalog.usualModel(.transcription, of: ModelInformation.openAI)
        self.timeout = timeout
    }

    /// The provider's identity: `openai`, the base URL, the API, and the model for requests that do not name a model.
    public var instance: ProviderInstance { service.instance("transcription", model: model) }
    /// The model for requests that do not name a model. This is the value of ``model``.
    public var defaultModel: String? { model }
    /// Always text.
    public var responseType: ContentType { .text }
    /// The service's limits, with this provider's timeout.
    public var limits: ProviderLimits { service.limits(timeout: timeout) }
    /// The service's account for transcription.
    public var account: AccountID { service.account(of: "transcription") }

    /// Returns `nil`, because the length of a recording is not known before it is decoded. If calls are free, or if the
    /// request is refused, returns a cost of zero.
    public func maximumUsage(of request: AIRequest) -> Usage? {
        service.maximumUsage { () throws(AIServiceError) in
            _ = try plan(of: request)
            return nil
        }
    }

    /// Transcribes a recording once. Sends the recording from its content file, piece by piece.
    ///
    /// Fails with ``/Hablare/AIServiceError/Code/invalidRequest`` for an unknown or invalid parameter, and for a prompt
    /// that does not have exactly one recording, and with `modelRetired` for a retired model. Its other errors are those of ``OpenAIChatProvider/generate(_:)``.
    /// Cancelling the task ends the transfer.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        await Result(of: call, by: answer)
    }

    private func plan(of request: AIRequest) throws(AIServiceError) -> OpenAITranscriptionRequest {
        try service.checkIsOffered(request.model ?? model)
        return try OpenAITranscriptionRequest(request, model: model, isOpenAI: service.isOpenAI, of: id)
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

    /// Returns the transcript of an answer; `nil` if there is none. If a server does not know the requested form, it
    /// may answer with only the text.
    private static func transcript(
        _ value: ParameterValue?, _ body: Data, of answer: ServiceAnswer
    ) -> Transcript? {
        if let value, case .object = value { return Transcript(openAI: value) }
        guard answer.mediaType == "text/plain" else { return nil }
        return String(validating: body, as: UTF8.self).map { Transcript(text: $0) }
    }

    package func check(_ request: AIRequest) throws(AIServiceError) { _ = try plan(of: request) }
}
