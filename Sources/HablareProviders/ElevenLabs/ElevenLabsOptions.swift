import Hablare

/// The parameters of a request in the form of the speech API.
struct ElevenLabsOptions: Sendable {
    /// The voice's id or name; `nil` for the provider's voice.
    let voice: String?
    /// The sound format; `nil` for the provider's format.
    let format: SoundFormat?
    /// Whether the request asks for the times of words and sentences.
    let wantsTimes: Bool
    /// The members of the body other than text and model.
    let members: [String: ParameterValue]
    /// Additional members of the body, sent unchanged.
    let extra: ExtraMembers
    /// Whether the members of `extra` leave the price of the call unchanged.
    let isBounded: Bool

    /// Reads the parameters.
    ///
    /// - Throws: `invalidRequest`, naming the parameter, if a parameter is unknown or invalid.
    init(_ parameters: [String: ParameterValue], of provider: ProviderID) throws(AIServiceError) {
        var reader = ParameterReader(parameters, of: provider)
        var members: [String: ParameterValue] = [:]
        var settings: [String: ParameterValue] = [:]
        for (name, range) in Self.settings {
            if let value = try reader.number(name, in: range) { settings[name] = .double(value) }
        }
        if let boost = try reader.flag("use_speaker_boost") { settings["use_speaker_boost"] = .bool(boost) }
        if !settings.isEmpty { members["voice_settings"] = .object(settings) }
        if let seed = try reader.whole("seed", in: 0...4_294_967_295) { members["seed"] = .int(seed) }
        if let language = try reader.text("language") { members["language_code"] = .string(language) }
        for name in ["previous_text", "next_text"] {
            if let text = try reader.text(name), !text.isEmpty { members[name] = .string(text) }
        }
        voice = try reader.text("voice")
        guard voice?.isEmpty != true else { throw reader.refusal("voice", "is empty") }
        format = try reader.text("format").map { name throws(AIServiceError) in
            guard let format = SoundFormat(name) else {
                throw reader.refusal(
                    "format",
                    "is not mp3, wav, pcm, opus, ulaw, alaw or a format of the service such as mp3_44100_128")
            }
            return format
        }
        wantsTimes = try reader.flag("timestamps") ?? false
        extra = try ExtraMembers(&reader)
        isBounded = extra.areAll(in: Self.harmless)
        try reader.finish()
        self.members = members
    }

    /// The members of `extra` that, according to the API's reference, do not raise the price. They only change how the
    /// text is spoken. Other members may change the text (a dictionary) or add something that is billed separately.
    private static let harmless: Set<String> = [
        "apply_language_text_normalization", "apply_text_normalization", "language_code", "next_request_ids",
        "next_text", "previous_request_ids", "previous_text", "seed", "use_pvc_as_ivc", "voice_settings",
    ]

    /// The voice settings and their ranges (https://elevenlabs.io/docs/api-reference/text-to-speech/convert).
    private static let settings: [(String, ClosedRange<Double>)] = [
        ("stability", 0...1), ("similarity_boost", 0...1), ("style", 0...1), ("speed", 0.7...1.2),
    ]
}
