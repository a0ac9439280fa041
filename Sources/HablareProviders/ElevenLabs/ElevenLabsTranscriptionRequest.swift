import Foundation
import Hablare
import HablareJSON

/// A `speech-to-text` call (elevenlabs 2.78.0, `RawSpeechToTextClient.convert`).
struct ElevenLabsTranscriptionRequest: Sendable {
    /// The maximum size of a recording in bytes: 2 GB.
    static let maximumBytes = 2_000_000_000

    let model: String
    let recording: PromptRecording
    private let fields: [(name: String, value: String)]

    /// Reads a request.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for unknown or invalid parameters. Also if the prompt
    ///   has text or does not have exactly one recording, or if the recording is too large.
    init(_ request: AIRequest, model usualModel: String, of provider: ProviderID) throws(AIServiceError) {
        recording = try request.prompt.recording(for: provider)
        model = request.model ?? usualModel
        guard recording.hint.allSatisfy(\.isWhitespace) else {
            throw AIServiceError(
                .invalidRequest,
                "The provider \(provider) accepts no text together with the recording. Pass expected words in the parameter keyterms."
            )
        }
        guard recording.body.byteCount <= Self.maximumBytes else {
            throw AIServiceError(
                .invalidRequest,
                "The recording has \(recording.body.byteCount) bytes; ElevenLabs accepts at most \(Self.maximumBytes). Split the recording."
            )
        }
        var reader = ParameterReader(request.parameters, of: provider)
        var fields: [(name: String, value: String)] = [("model_id", model)]
        if let language = try reader.text("language") { fields.append(("language_code", language)) }
        let times = try reader.choice("timestamps", of: ["true", "false", "auto"])
        fields.append(("timestamps_granularity", times == "false" ? "none" : "word"))
        for (name, field) in [
            ("diarize", "diarize"), ("tag_audio_events", "tag_audio_events"), ("no_verbatim", "no_verbatim"),
        ] {
            if let flag = try reader.flag(name) { fields.append((field, "\(flag)")) }
        }
        if let count = try reader.whole("num_speakers", in: 1...32) { fields.append(("num_speakers", "\(count)")) }
        if let temperature = try reader.number("temperature", in: 0...2) {
            fields.append(("temperature", "\(temperature)"))
        }
        if let seed = try reader.whole("seed", in: 0...2_147_483_647) { fields.append(("seed", "\(seed)")) }
        for term in try reader.texts("keyterms") ?? [] { fields.append(("keyterms", term)) }
        let extra = try ExtraMembers(&reader, reserving: Self.reserved)
        try reader.finish()
        for (name, value) in extra.members.sorted(by: { $0.key < $1.key }) where value != .null {
            guard !fields.contains(where: { $0.name == name }) else {
                throw reader.refusal("extra", "has a member that the request also sets elsewhere")
            }
            let json = String(decoding: try value.jsonData(), as: UTF8.self)
            fields.append((name, value.string ?? json))
        }
        self.fields = fields
    }

    /// The fields that the request sets itself, so `extra` must not contain them.
    private static let reserved = [
        "file": "The recording is in the prompt.", "cloud_storage_url": "The recording is in the prompt.",
        "source_url": "The recording is in the prompt.", "model_id": "Name the model in the request.",
        "webhook": "Hablare would not receive the transcript.",
        "use_multi_channel": "Hablare cannot read a transcript in parts. Submit each channel as a separate recording.",
    ]

    /// Returns the service call, before the recording is read.
    func post() throws(AIServiceError) -> ServiceRequest {
        var form = MultipartForm()
        for (name, value) in fields { form.add(name, value: value) }
        try form.add(
            "file", file: recording.body, fileName: recording.format.fileName, mediaType: recording.format.mediaType)
        return .post(["v1", "speech-to-text"], form: form, accepts: ["application/json"])
    }
}

extension Transcript {
    /// Reads an answer of `speech-to-text`. Returns `nil` if the answer has no text.
    ///
    /// The service lists words, the spaces between them, and sounds such as laughter. Only the words' times are read.
    init?(elevenLabs answer: ParameterValue) {
        guard let text = answer[member: "text"]?.string else { return nil }
        let entries = answer[member: "words"]?.elements ?? []
        let spoken = ParameterValue.array(entries.filter { ($0[member: "type"]?.string ?? "word") == "word" })
        let words = spoken.spokenTimes("text", speaker: "speaker_id")
        self.init(
            text: text, words: words, segments: Self.segments(of: words),
            language: answer[member: "language_code"]?.string,
            seconds: answer[member: "audio_duration_secs"]?.number ?? words.last?.end)
    }
}
