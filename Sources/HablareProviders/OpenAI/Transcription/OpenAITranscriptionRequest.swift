import Foundation
import Hablare
import HablareJSON

/// An `audio/transcriptions` call (openai 3.57.0, `TranscriptionCreateParams`).
struct OpenAITranscriptionRequest: Sendable {
    /// The form of the answer.
    enum Form: String, Sendable {
        case json
        case verbose = "verbose_json"
        case diarized = "diarized_json"
    }

    /// The formats that OpenAI reads, named by their usual file extensions.
    static let formats = ["flac", "mp3", "mp4", "mpeg", "mpga", "m4a", "ogg", "wav", "webm"]
    /// The maximum size of a recording that OpenAI accepts, in bytes: 25 MiB. See
    /// https://platform.openai.com/docs/guides/speech-to-text.
    static let maximumBytes = 25 << 20

    let model: String
    let recording: PromptRecording
    let form: Form
    /// Whether the times of words are also requested.
    let wantsWords: Bool
    private let fields: [(name: String, value: String)]

    /// Reads a request.
    ///
    /// - Parameters:
    ///   - isOpenAI: Whether the server is OpenAI's own server, whose formats, models and sizes are known.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for unknown or invalid parameters, and for times from
    ///   a model that cannot give times. Also if the prompt does not have exactly one recording, or if the recording is
    ///   too large. Also if OpenAI does not read the recording's format.
    init(
        _ request: AIRequest, model usualModel: String, isOpenAI: Bool, of provider: ProviderID
    ) throws(AIServiceError) {
        recording = try request.prompt.recording(for: provider)
        let model = request.model ?? usualModel
        self.model = model
        var reader = ParameterReader(request.parameters, of: provider)
        let times = Self.form(of: model, isOpenAI: isOpenAI)
        switch try reader.text("timestamps") ?? "false" {
        case "false": form = model.contains("diarize") ? .diarized : .json
        case "auto": form = times ?? .json
        case "true":
            guard let times else {
                throw reader.refusal(
                    "timestamps",
                    "requests times, but the model \(ServiceRefusal.word(model)) returns no times; whisper-1 and gpt-4o-transcribe-diarize do"
                )
            }
            form = times
        default: throw reader.refusal("timestamps", "is not true, false or auto")
        }
        wantsWords = form == .verbose
        var fields: [(name: String, value: String)] = [("model", model), ("response_format", form.rawValue)]
        if let language = try reader.text("language") { fields.append(("language", language)) }
        if let temperature = try reader.number("temperature", in: 0...1) {
            fields.append(("temperature", "\(temperature)"))
        }
        for keyword in try reader.texts("keywords") ?? [] { fields.append(("keywords[]", keyword)) }
        let hint = recording.hint.trimmingCharacters(in: .whitespacesAndNewlines)
        if !hint.isEmpty { fields.append(("prompt", hint)) }
        if form == .verbose {
            fields += [("timestamp_granularities[]", "word"), ("timestamp_granularities[]", "segment")]
        }
        // Required of this model for audio of more than 30 seconds.
        if form == .diarized { fields.append(("chunking_strategy", "auto")) }
        let extra = try ExtraMembers(
            &reader,
            reserving: [
                "file": "The recording is in the prompt.", "model": "Name the model in the request.",
                "response_format": "Ask for times with the parameter timestamps.",
                "stream": "A transcript is not streamed.",
            ])
        try reader.finish()
        for (name, value) in extra.members.sorted(by: { $0.key < $1.key }) where value != .null {
            guard !fields.contains(where: { $0.name == name }) else {
                throw reader.refusal("extra", "has a member that the request also sets elsewhere")
            }
            let json = String(decoding: try value.jsonData(), as: UTF8.self)
            fields.append((name, value.string ?? json))
        }
        self.fields = fields
        if isOpenAI { try Self.check(recording) }
    }

    /// Returns the form in which a model gives times; `nil` if the model cannot give times.
    private static func form(of model: String, isOpenAI: Bool) -> Form? {
        if model.contains("diarize") { return .diarized }
        return isOpenAI && model.contains("transcribe") ? nil : .verbose
    }

    private static func check(_ recording: PromptRecording) throws(AIServiceError) {
        let size = recording.body.byteCount
        guard size <= maximumBytes else {
            throw AIServiceError(
                .invalidRequest,
                "The recording has \(size) bytes; OpenAI accepts at most \(maximumBytes). Split the recording, or compress it, for example with: ffmpeg -i IN -ac 1 -b:a 32k OUT.mp3"
            )
        }
        let format = recording.format.rawValue.lowercased()
        guard formats.contains(format) || ["opus", "oga"].contains(format) else {
            throw AIServiceError(
                .invalidRequest,
                "The recording is of format \(ServiceRefusal.word(format)), which OpenAI does not accept. Use one of \(formats.joined(separator: ", "))."
            )
        }
    }

    /// Returns the call's form, before the recording is read.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for an invalid media type.
    func multipart() throws(AIServiceError) -> MultipartForm {
        var form = MultipartForm()
        for (name, value) in fields { form.add(name, value: value) }
        try form.add(
            "file", file: recording.body, fileName: recording.format.fileName, mediaType: recording.format.mediaType)
        return form
    }
}

extension AudioFormat {
    /// A file name for this format. Servers recognize the format by the name's extension.
    var fileName: String {
        let name = rawValue.lowercased()
        return "recording.\(["opus", "oga"].contains(name) ? "ogg" : name)"
    }
}

extension Transcript {
    /// Reads an answer of `audio/transcriptions`. Returns `nil` if the answer has no text.
    ///
    /// - Parameter answer: The answer in one of the JSON forms.
    init?(openAI answer: ParameterValue) {
        guard let text = answer[member: "text"]?.string else { return nil }
        let segments = answer[member: "segments"]?.spokenTimes("text", speaker: "speaker") ?? []
        let words = answer[member: "words"]?.spokenTimes("word") ?? []
        let usage = answer[member: "usage"]
        self.init(
            text: text, words: words, segments: segments.isEmpty ? Self.segments(of: words) : segments,
            language: answer[member: "language"]?.string
                ?? answer[member: "languages"]?.elements.first?[member: "code"]?.string,
            seconds: usage?[member: "seconds"]?.number ?? answer[member: "duration"]?.number
                ?? answer[member: "duration"]?.string.flatMap { Double($0) })
    }
}
