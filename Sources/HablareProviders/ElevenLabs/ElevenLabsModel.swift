/// A model of ElevenLabs that speaks.
public struct ElevenLabsModel: Sendable, Hashable, Identifiable {
    /// What a request names it by.
    public let id: String
    /// Its name for people.
    public let name: String
    /// Its languages as tags.
    public let languages: [String]
    /// How many characters a text may have; `nil` where that is not said.
    public let maximumCharacters: Int?
    /// How many credits a character costs; `nil` where that is not said.
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

    /// How many characters (Unicode scalars) a model takes in one call, as far as it is known without asking; `nil` for
    /// a model that is not known here, whose texts the service judges.
    public static func maximumCharacters(of model: String) -> Int? {
        switch model {
        case "eleven_flash_v2_5", "eleven_turbo_v2_5": 40_000
        case "eleven_flash_v2", "eleven_turbo_v2": 30_000
        case "eleven_multilingual_v2", "eleven_multilingual_v1", "eleven_monolingual_v1": 10_000
        case "eleven_v3": 5000
        default: nil
        }
    }

    /// Whether a model takes what stands around a text (`previous_text`, `next_text`): all but those of the third version,
    /// which refuse a call that says it.
    public static func takesContext(_ model: String) -> Bool { !model.hasPrefix("eleven_v3") }
}
