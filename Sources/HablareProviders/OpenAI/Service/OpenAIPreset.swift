/// A known service with OpenAI's API: its address, its key, and its differences from OpenAI. A value of a table.
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

    /// The name in settings and commands: `groq`.
    public let id: String
    /// The name in a sentence: `Groq`.
    public let title: String
    /// The base URL. It may have a ``placeholder`` that the user replaces.
    public let address: String
    /// The environment variables from which the service's own software reads the key, in order of precedence.
    public let variables: [String]
    /// The address of the page where users create keys, or of the documentation where there are none.
    public let page: String
    /// The beginning that all its keys have; `nil` if it is unknown.
    public let keyBeginning: String?
    /// Whether calls need a key. Servers for one's own machine need none, and take one if they are set up so.
    public let needsKey: Bool
    /// The name of the field with the key; `nil` for a bearer token.
    public let keyField: String?
    /// The APIs that the service offers.
    public let offers: Set<Offer>
    /// The differences from OpenAI.
    public let compatibility: OpenAICompatibility

    /// The part of an address that each user replaces: the name of a resource.
    public static let placeholder = "YOUR-RESOURCE"

    /// Whether the address must be given, because each user has another one.
    public var needsAddress: Bool { address.contains(Self.placeholder) }

    /// Returns the preset of a name; `nil` for an unknown one. ``all`` has the names.
    public static func named(_ id: String) -> OpenAIPreset? { all.first { $0.id == id } }
}
