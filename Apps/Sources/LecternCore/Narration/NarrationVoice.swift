public import Hablare

/// A voice that reads chapters aloud.
public struct NarrationVoice: Sendable, Hashable, Codable, Identifiable {
    /// The provider that speaks.
    public var provider: ProviderID
    /// The provider's name for the voice; `nil` for its default voice.
    public var voice: String?
    /// The name for a person.
    public var name: String
    /// The language tags, such as `en-US`; empty if unknown.
    public var languages: [String]
    /// The gender that the voice sounds like, such as `female`; `nil` if unknown.
    public var gender: String?
    /// Whether the provider charges for speech.
    public var isPaid: Bool
    /// The parameters of each request, besides the voice.
    public var parameters: [String: ParameterValue]

    /// Creates a voice.
    public init(
        provider: ProviderID, voice: String? = nil, name: String, languages: [String] = [], gender: String? = nil,
        isPaid: Bool = false, parameters: [String: ParameterValue] = [:]
    ) {
        self.provider = provider
        self.voice = voice
        self.name = name
        self.languages = languages
        self.gender = gender
        self.isPaid = isPaid
        self.parameters = parameters
    }

    /// The id, such as `espeak-ng/en-us`.
    public var id: String { voice.map { "\(provider)/\($0)" } ?? provider.rawValue }

    /// The default voice: that of espeak-ng, which speaks at once and without a network.
    public static let espeak = NarrationVoice(
        provider: "espeak-ng", voice: "en-us", name: "espeak-ng", languages: ["en-us"])

    /// The parameters of a request, with the voice.
    var requestParameters: [String: ParameterValue] {
        parameters.merging(voice.map { ["voice": .string($0)] } ?? [:]) { _, voice in voice }
    }
}
