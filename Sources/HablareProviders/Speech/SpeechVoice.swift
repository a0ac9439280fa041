/// A voice of a service.
public struct SpeechVoice: Sendable, Hashable, Codable, Identifiable {
    /// The voice's id. The request parameter `voice` accepts the id or the name.
    public var id: String
    /// The display name.
    public var name: String
    /// The language tags, such as `en` or `en-US`; empty if unknown.
    public var languages: [String]
    /// The gender as the service names it, such as `female`, `male` or `neutral`; `nil` if unknown.
    public var gender: String?
    /// The recording quality as the service names it, such as `studio` or `good`; `nil` if unknown.
    public var quality: String?
    /// The category, such as `premade` or `cloned`; `nil` if unknown.
    public var category: String?
    /// A description in a sentence or a few words; `nil` if unknown.
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

/// A filter for voices.
///
/// ```swift
/// let filter = SpeechVoiceFilter(language: "en", gender: "female")
/// ```
public struct SpeechVoiceFilter: Sendable, Hashable {
    /// A language tag. `en` also matches `en-US`. Default: any language.
    public var language: String?
    /// The gender as the service names it. Default: any.
    public var gender: String?
    /// The recording quality as the service names it. Default: any.
    public var quality: String?

    /// Creates a filter.
    public init(language: String? = nil, gender: String? = nil, quality: String? = nil) {
        self.language = language
        self.gender = gender
        self.quality = quality
    }

    /// Returns whether a voice matches the filter. Case is ignored. If the filter sets a property that is unknown for
    /// the voice, the voice does not match.
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
