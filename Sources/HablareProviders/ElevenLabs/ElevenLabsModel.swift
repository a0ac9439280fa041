/// A text-to-speech model of ElevenLabs.
public struct ElevenLabsModel: Sendable, Hashable, Identifiable {
    /// The id that requests use.
    public let id: String
    /// The display name.
    public let name: String
    /// The tags of the languages that the model speaks.
    public let languages: [String]
    /// The maximum number of characters in a text; `nil` if the service does not report it.
    public let maximumCharacters: Int?
    /// The number of credits per character; `nil` if the service does not report it.
    public let creditsPerCharacter: Double?

    /// Creates a model.
    public init(
        id: String, name: String, languages: [String] = [], maximumCharacters: Int? = nil,
        creditsPerCharacter: Double? = nil
    ) {
        self.id = id
        self.name = name
        self.languages = languages
        self.maximumCharacters = maximumCharacters
        self.creditsPerCharacter = creditsPerCharacter
    }

    /// Returns the maximum number of characters (Unicode scalars) in one call, for models that the library knows.
    /// Returns `nil` for other models: the service then checks the length.
    public static func maximumCharacters(of model: String) -> Int? {
        switch model {
        case "eleven_flash_v2_5", "eleven_turbo_v2_5": 40_000
        case "eleven_flash_v2", "eleven_turbo_v2": 30_000
        case "eleven_multilingual_v2", "eleven_multilingual_v1", "eleven_monolingual_v1": 10_000
        case "eleven_v4", "eleven_v4_turbo": 10_000
        case "eleven_v3": 5000
        default: nil
        }
    }

    /// Returns whether a model accepts the surrounding text (`previous_text`, `next_text`). The models of version 3
    /// refuse calls that have it.
    public static func takesContext(_ model: String) -> Bool { !model.hasPrefix("eleven_v3") }
}
