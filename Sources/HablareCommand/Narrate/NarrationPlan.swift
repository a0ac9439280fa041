import Foundation
import Hablare
import HablareJSON
import HablareProviders
import HablareSpeech

/// The plan of a narration: the segments of a text, and one request for each segment.
struct NarrationPlan: Sendable {
    /// The maximum length of a segment in Unicode scalars, if the provider does not state its limit.
    static let defaultLimit = 5_000
    /// The version of the segmentation and of the requests. If you change one of them, change the version, so that old
    /// jobs and new work are not mixed.
    private static let version = "narrate 1"

    let segments: [TextSegment]
    /// The number of pauses that a voice makes: one after each sentence, or one after each segment if segments are
    /// shorter.
    let pauses: Int
    let provider: ProviderID
    let parameters: [String: ParameterValue]
    let job: JobKey
    let source: String
    /// The requested model; `nil` for the provider's default, or if the provider has no choice of models.
    let model: String?
    /// Whether each request includes the text before and after its segment, so that the speech flows naturally.
    let tellsContext: Bool
    /// The action for attempts whose outcome is unknown. This does not change the audio, so it is not part of ``job``.
    let unknownOutcome: UnknownOutcomePolicy

    init(
        text: Data, source: String, unit: TextSegmenter.Unit, provider: any AIServiceProvider,
        parameters: [String: ParameterValue], model: String? = nil, tellsContext: Bool = false,
        unknownOutcome: UnknownOutcomePolicy = .runAgain
    ) throws {
        let limit = provider.limits.maximumCharacters ?? Self.defaultLimit
        let decoded = try SourceText(decoding: text)
        let cut = try TextSegmenter(unit: unit, limit: limit).segments(of: decoded)
        let sentences =
            [.paragraph, .text].contains(unit)
            ? try TextSegmenter(unit: .sentence, limit: limit).segments(of: decoded) : cut
        pauses = max(cut.count, sentences.count)
        segments = unit == .text ? cut.map { $0.asWritten(in: decoded, limit: limit) } : cut
        guard !segments.isEmpty else {
            throw CommandFailure(.badInput, "There is nothing to read in \(source): it has no letters or digits.")
        }
        self.provider = provider.id
        self.parameters = parameters
        self.source = source
        self.model = model
        self.tellsContext = tellsContext
        self.unknownOutcome = unknownOutcome
        // A model is part of the provider's instance, or else of the request.
        let asked = model == provider.defaultModel ? nil : model.map { "model \($0)" }
        let words =
            [Self.version, unit.rawValue, String(limit), provider.instance.rawValue]
            + [asked, tellsContext ? "context" : nil].compactMap(\.self)
        job = .hashing([text] + words.map { Data($0.utf8) } + (try parameters.jobParts()))
    }

    init(
        text: Data, source: String, unit: TextSegmenter.Unit, by asked: AskedProvider,
        parameters: [String: ParameterValue], unknownOutcome: UnknownOutcomePolicy
    ) throws {
        try self.init(
            text: text, source: source, unit: unit, provider: asked.installed.provider, parameters: parameters,
            model: asked.installed.askedModel,
            tellsContext: asked.installed.serviceVoices?.sound?.takesContext ?? false,
            unknownOutcome: unknownOutcome)
    }

    /// The number of characters (Unicode scalars) to speak.
    var characters: Int {
        segments.reduce(0) { $0 + $1.text.unicodeScalars.count }
    }

    /// The number of characters that a voice speaks in a second at normal speed, within a segment.
    ///
    /// espeak-ng speaks 19 and flite 17 characters in a second. The numbers were fitted by least squares over 162
    /// sentences of the King James Gospel of Mark and of small talk.
    static let charactersPerSecond = 18.0
    /// The pause after a sentence, in seconds. The same measurement gave 0.45 for espeak-ng and 0.42 for flite.
    static let pause = 0.45
    /// The number of words a minute at normal speed.
    static let normalRate = 175.0
    /// The factors by which the length with other voices, languages and texts may differ from the estimate.
    static let doubt = (least: 0.75, most: 1.4)

    /// The estimated length of the audio in seconds. It takes the parameter `rate` (words a minute) or `speed` (a
    /// factor) into account.
    var estimatedSeconds: Double {
        let rate = parameters["rate"]?.text.flatMap { Double($0) }.map { $0 / Self.normalRate }
        let speed = parameters["speed"]?.text.flatMap { Double($0) }
        let normal = Double(characters) / Self.charactersPerSecond + Double(pauses) * Self.pause
        return normal / max(0.01, rate ?? speed ?? 1)
    }

    /// Returns the request for a segment. By the engine's default, the request may use an answer that was made for
    /// another narration within the last hour.
    func request(_ index: Int, id: UUID) -> AIRequest {
        let segment = segments[index]
        return AIRequest(
            id: id, prompt: .text(segment.text), model: model,
            parameters: parameters.merging(context(of: index)) { given, _ in given }, unknownOutcome: unknownOutcome,
            metadata: [
                "segment": String(segment.index),
                "bytes": "\(segment.utf8Range.lowerBound)-\(segment.utf8Range.upperBound)",
                "source": source,
            ])
    }

    var work: JobWork {
        JobWork(job: job, provider: provider, count: segments.count, noun: "segment") { request($0, id: $1) }
    }

    private func context(of index: Int) -> [String: ParameterValue] {
        guard tellsContext else { return [:] }
        var context: [String: ParameterValue] = [:]
        if index > 0 {
            let words = segments[index - 1].text.split(separator: " ").reversed()
            context["previous_text"] = .string(Self.few(words).reversed().joined(separator: " "))
        }
        if index + 1 < segments.count {
            context["next_text"] = .string(
                Self.few(segments[index + 1].text.split(separator: " ")).joined(separator: " "))
        }
        return context.filter { $0.value != "" }
    }

    private static func few(_ words: some Sequence<Substring>) -> [Substring] {
        var room = mostContext
        return words.prefix { word in
            room -= word.unicodeScalars.count + 1
            return room >= -1
        }.map { $0 }
    }

    /// The maximum length of the text before or after the segment in a request, in Unicode scalars: a sentence or two.
    static let mostContext = 500
}

extension [String: ParameterValue] {
    /// Returns the parameters in the form in which the job's key includes them: in order, each with its kind, because
    /// the number 1 is not the text "1".
    func jobParts() throws -> [Data] {
        try sorted { $0.key < $1.key }.flatMap { name, value -> [Data] in
            let tagged: Data =
                switch value {
                case .int(let number): Data("i\(number)".utf8)
                case .double(let number): Data("d\(number)".utf8)
                case .string(let text): Data("s\(text)".utf8)
                case .bool, .null, .array, .object: Data("j".utf8) + (try value.jsonData())
                }
            return [Data(name.utf8), tagged]
        }
    }
}

extension TextSegment {
    /// Returns the segment with its line breaks, which affect a voice. If it would then exceed the limit, returns it
    /// without them.
    fileprivate func asWritten(in source: SourceText, limit: Int) -> TextSegment {
        guard let written = source[utf8Range], written.unicodeScalars.count <= limit else { return self }
        return TextSegment(index: index, text: written, utf8Range: utf8Range)
    }
}
