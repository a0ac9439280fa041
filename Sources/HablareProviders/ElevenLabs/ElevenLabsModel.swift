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
        ModelCatalog.shipped.model(model, of: ModelInformation.elevenLabs)?.maximumCharacters.map { Int($0) }
    }

    /// Returns whether a model accepts the surrounding text (`previous_text`, `next_text`). The models of version 3
    /// refuse calls that have surrounding text. A model that the library does not know accepts it.
    public static func takesContext(_ model: String) -> Bool {
        ModelCatalog.shipped.model(model, of: ModelInformation.elevenLabs)?.refused.contains("previous_text") != true
    }
}

extension ModelInformation {
    /// The name of the vendor ElevenLabs.
    static let elevenLabs = "elevenlabs"
}
