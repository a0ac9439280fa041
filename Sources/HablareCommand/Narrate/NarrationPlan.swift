import Foundation
import Hablare
import HablareSpeech

/// What a narration is made of: the segments of a text, and one request for each. Pure.
struct NarrationPlan: Sendable {
    /// The longest segment where the provider does not say what it takes, in Unicode scalars.
    static let defaultLimit = 5_000
    /// Changes whenever the same input would be cut or asked in another way, so that no old job is mixed with new work.
    private static let version = "narrate 1"

    let segments: [TextSegment]
    let provider: ProviderID
    let parameters: [String: ParameterValue]
    /// Names the work: the input and everything that changes what comes out.
    let job: JobKey
    /// Where the text came from, for people who look at a request later.
    let source: String
    /// What to do with a segment when nobody knows whether its attempt was carried out. Changes nothing of what is
    /// heard, so it is not part of ``job``.
    let unknownOutcome: UnknownOutcomePolicy

    /// Cuts a text.
    ///
    /// - Throws: `TextError` for a text that cannot be read aloud; ``CommandFailure`` for one with nothing to say.
    init(
        text: Data, source: String, unit: TextSegmenter.Unit, provider: any AIServiceProvider,
        parameters: [String: ParameterValue], unknownOutcome: UnknownOutcomePolicy = .runAgain
    ) throws {
        let limit = provider.limits.maximumCharacters ?? Self.defaultLimit
        segments = try TextSegmenter(unit: unit, limit: limit).segments(of: try SourceText(decoding: text))
        guard !segments.isEmpty else {
            throw CommandFailure(.badInput, "There is nothing to read in \(source): it has neither letters nor digits.")
        }
        self.provider = provider.id
        self.parameters = parameters
        self.source = source
        self.unknownOutcome = unknownOutcome
        let options = parameters.sorted { $0.key < $1.key }.flatMap {
            [Data($0.key.utf8), Data(Self.tagged($0.value).utf8)]
        }
        let words = [Self.version, unit.rawValue, String(limit), provider.instance.rawValue].map { Data($0.utf8) }
        job = .hashing([text] + words + options)
    }

    /// How many characters (Unicode scalars) are to be spoken.
    var characters: Int {
        segments.reduce(0) { $0 + $1.text.unicodeScalars.count }
    }

    /// How many characters a voice speaks in a second at its normal speed, within a segment: between espeak-ng's 19 and
    /// flite's 17, over 162 sentences of the King James Gospel of Mark and of small talk, fitted by least squares.
    static let charactersPerSecond = 18.0
    /// The pause of a segment, in seconds: espeak-ng's 0.45 and flite's 0.42, of the same measurement.
    static let pause = 0.45
    /// Words a minute of that speed.
    static let normalRate = 175.0
    /// How far off the estimate may be: other voices, languages and texts.
    static let doubt = (least: 0.75, most: 1.4)

    /// How long the audio will be, roughly, in seconds. By the parameter `rate`, words a minute, or `speed`, times the
    /// normal one, where it has them.
    var estimatedSeconds: Double {
        let rate = parameters["rate"]?.text.flatMap { Double($0) }.map { $0 / Self.normalRate }
        let speed = parameters["speed"]?.text.flatMap { Double($0) }
        let normal = Double(characters) / Self.charactersPerSecond + Double(segments.count) * Self.pause
        return normal / max(0.01, rate ?? speed ?? 1)
    }

    /// The request for a segment. One that was made for another narration within the hour will do (the engine's default):
    /// a book that is narrated again with one chapter changed takes the rest from there. A voice that was replaced is
    /// not noticed, as little as ``job`` notices it.
    func request(_ index: Int, id: UUID) -> AIRequest {
        let segment = segments[index]
        return AIRequest(
            id: id, prompt: .text(segment.text), parameters: parameters, unknownOutcome: unknownOutcome,
            metadata: [
                "segment": String(segment.index),
                "bytes": "\(segment.utf8Range.lowerBound)-\(segment.utf8Range.upperBound)",
                "source": source,
            ])
    }

    /// A value's kind and text: the number 1 is not the text "1".
    private static func tagged(_ value: ParameterValue) -> String {
        switch value {
        case .int(let number): "i\(number)"
        case .double(let number): "d\(number)"
        default: "s\(value.text ?? "")"
        }
    }
}
