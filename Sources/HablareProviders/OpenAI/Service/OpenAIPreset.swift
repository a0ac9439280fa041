/// A known service with OpenAI's API: its address, its key, and its differences from OpenAI.
///
/// ```swift
/// let groq = try #require(OpenAIPreset.named("groq"))
/// let service = OpenAIService(
///     try ServiceAddress(groq.address), transport: transport, key: { key }, name: groq.title,
///     compatibility: groq.compatibility)
/// ```
public struct OpenAIPreset: Sendable, Hashable, Identifiable {
    /// An API that a service offers.
    public enum Offer: String, Sendable, Hashable, CaseIterable {
        /// Texts and structured answers (`chat/completions`).
        case text
        /// Speech (`audio/speech`).
        case speech
        /// Images (`images/generations`).
        case image
        /// Vectors (`embeddings`).
        case embedding
        /// Transcripts (`audio/transcriptions`).
        case transcription
    }

    /// The name in settings and commands, such as `groq`.
    public let id: String
    /// The name for use in a sentence, such as `Groq`.
    public let title: String
    /// The base URL. It may contain a ``placeholder``, which the user replaces.
    public let address: String
    /// The environment variables from which the service's own software reads the key, in order of precedence.
    public let variables: [String]
    /// The address of the page where users create keys. If there is no such page, the address of the documentation.
    public let page: String
    /// The prefix of all keys of the service; `nil` if it is unknown.
    public let keyBeginning: String?
    /// Whether calls need a key. A server on the user's own machine needs no key, but a key is sent if one is
    /// configured.
    public let needsKey: Bool
    /// The name of the header field for the key; `nil` for a bearer token.
    public let keyField: String?
    /// The APIs that the service offers.
    public let offers: Set<Offer>
    /// The differences from OpenAI.
    public let compatibility: OpenAICompatibility

    /// The part of an address that each user replaces: the name of the user's resource.
    public static let placeholder = "YOUR-RESOURCE"

    /// Whether the user must give an address, because each user has a different address.
    public var needsAddress: Bool { address.contains(Self.placeholder) }

    /// Returns the preset with a name; `nil` for an unknown name. ``all`` lists the presets.
    public static func named(_ id: String) -> OpenAIPreset? { all.first { $0.id == id } }
}
