#if os(macOS) || os(Linux)
/// A voice that a program speaks with.
public struct CommandVoice: Sendable, Hashable, Identifiable {
    /// What the parameter `voice` takes.
    public let id: String
    /// Its language as a tag such as `en-us`, where the program says it.
    public let language: String?
    /// Whose voice it resembles, where the program says it.
    public let gender: Gender?
    /// Other names that mean the same voice.
    public let aliases: [String]

    /// Whose voice a voice resembles.
    public enum Gender: String, Sendable, Hashable, CaseIterable {
        /// A woman's.
        case female
        /// A man's.
        case male
    }

    /// Creates a voice.
    ///
    /// - Parameters:
    ///   - id: What the parameter `voice` takes.
    ///   - language: Its language as a tag. Default: unknown.
    ///   - gender: Whose voice it resembles. Default: unknown.
    ///   - aliases: Other names that mean the same voice. Default: none.
    public init(id: String, language: String? = nil, gender: Gender? = nil, aliases: [String] = []) {
        self.id = id
        self.language = language
        self.gender = gender
        self.aliases = aliases
    }
}

/// How the voices of a program are known.
public enum CommandVoiceSource: Sendable, Hashable {
    /// They are not; every voice is passed on, and the program says what it thinks of it.
    case unlisted
    /// These, and no others.
    case fixed([CommandVoice])
    /// A voice is a file, given by its path.
    case files
    /// eSpeak NG lists them, and its variants: a voice is `en-us`, `gmw/en-US`, or `en-us+f3` with a variant.
    case espeakNG
    /// Flite lists them.
    case flite
    /// Hibari lists them; those it would have to download first are left out.
    case hibari

    /// The arguments that make the program list its voices; none where it is not asked.
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
