#if os(macOS) || os(Linux)
/// A voice of a program.
public struct CommandVoice: Sendable, Hashable, Identifiable {
    /// The value for the parameter `voice`.
    public let id: String
    /// The language tag such as `en-us`, if the program reports it.
    public let language: String?
    /// The gender that the voice sounds like, if the program reports it.
    public let gender: Gender?
    /// The other names of the same voice.
    public let aliases: [String]

    /// The gender that a voice sounds like.
    public enum Gender: String, Sendable, Hashable, CaseIterable {
        /// A woman's voice.
        case female
        /// A man's voice.
        case male
    }

    /// Creates a voice.
    ///
    /// - Parameters:
    ///   - id: The value for the parameter `voice`.
    ///   - language: The language tag. Default: unknown.
    ///   - gender: The gender that the voice sounds like. Default: unknown.
    ///   - aliases: The other names of the same voice. Default: none.
    public init(id: String, language: String? = nil, gender: Gender? = nil, aliases: [String] = []) {
        self.id = id
        self.language = language
        self.gender = gender
        self.aliases = aliases
    }
}

/// The way to find a program's voices.
public enum CommandVoiceSource: Sendable, Hashable {
    /// The voices are unknown. Every voice is passed to the program, which may refuse it.
    case unlisted
    /// The program has only these voices.
    case fixed([CommandVoice])
    /// The voices are files, each given by its path.
    case files
    /// The program prints eSpeak NG's list of voices and variants. A voice is, for example, `en-us`, `gmw/en-US`, or
    /// `en-us+f3` with a variant.
    case espeakNG
    /// The program prints Flite's list of voices.
    case flite
    /// The program prints Hibari's list of voices. Voices that Hibari would have to download are left out.
    case hibari

    /// The arguments with which the program prints its voices: one list of arguments for each run. Empty if the program
    /// is not asked.
    var listing: [[String]] {
        switch self {
        case .unlisted, .fixed, .files: []
        case .espeakNG: [["--voices"], ["--voices=variant"]]
        case .flite: [["-lv"]]
        case .hibari: [["--list-voices"]]
        }
    }
}
#endif
