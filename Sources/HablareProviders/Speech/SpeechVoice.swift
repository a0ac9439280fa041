/// A voice that a service speaks with.
public struct SpeechVoice: Sendable, Hashable, Codable, Identifiable {
    /// What the parameter `voice` takes, beside the name.
    public var id: String
    /// Its name for people.
    public var name: String
    /// Its languages as tags, such as `en` or `en-US`; empty where nobody says.
    public var languages: [String]
    /// Whose voice it resembles, in the service's word: `female`, `male`, `neutral` …; `nil` where nobody says.
    public var gender: String?
    /// How good its recording is, in the service's word: `studio`, `good` …; `nil` where nobody says.
    public var quality: String?
    /// Where it is from: `premade`, `cloned` …; `nil` where nobody says.
    public var category: String?
    /// What it is like, in a sentence or a few words; `nil` where nobody says.
    public var summary: String?

    /// Creates a voice.
    public init(
        id: String, name: String, languages: [String] = [], gender: String? = nil, quality: String? = nil,
        category: String? = nil, summary: String? = nil
    ) {
        self.id = id
        self.name = name
        self.languages = languages
        self.gender = gender
        self.quality = quality
        self.category = category
        self.summary = summary
    }
}

/// Which voices somebody wants to see.
public struct SpeechVoiceFilter: Sendable, Hashable {
    /// A language as a tag: `en` is also for `en-US`. Default: any.
    public var language: String?
    /// In the service's word. Default: any.
    public var gender: String?
    /// In the service's word. Default: any.
    public var quality: String?

    /// Creates a filter.
    public init(language: String? = nil, gender: String? = nil, quality: String? = nil) {
        self.language = language
        self.gender = gender
        self.quality = quality
    }

    /// Whether a voice is as wanted. Upper and lower case are the same; a voice of which nobody says what is asked for is
    /// not.
    public func accepts(_ voice: SpeechVoice) -> Bool {
        func isSame(_ one: String, _ other: String?) -> Bool { one.lowercased() == other?.lowercased() }
        if let gender, !isSame(gender, voice.gender) { return false }
        if let quality, !isSame(quality, voice.quality) { return false }
        guard let language else { return true }
        let wanted = language.lowercased().replacing("_", with: "-")
        return voice.languages.contains { tag in
            let tag = tag.lowercased().replacing("_", with: "-")
            return tag == wanted || tag.hasPrefix(wanted + "-")
        }
    }
}
