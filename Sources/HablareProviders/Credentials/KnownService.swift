/// A supported service, with the web page and the form of its keys.
package struct KnownService: Sendable, Hashable {
    /// The service's name in settings and commands.
    package let id: String
    /// The service's name for use in a sentence.
    package let title: String
    /// The environment variables from which the service's own software reads the key, in order of precedence.
    package let variables: [String]
    /// The address of the page where users create and revoke keys.
    package let page: String
    /// The prefix that all keys of the service have; `nil` if older keys lack it.
    package let beginning: String?
    /// Returns whether a key has the service's form; `nil` if the form is unknown.
    private let matches: (@Sendable (String) -> Bool)?

    /// All supported services: the services with their own provider, and the presets for servers with OpenAI's API.
    package static let all = own + OpenAIPreset.all.map(KnownService.init)

    private static let own = [
        KnownService(
            id: "openai", title: "OpenAI", variables: ["OPENAI_API_KEY"],
            page: "https://platform.openai.com/api-keys", beginning: "sk-",
            matches: { $0.hasPrefix("sk-") && !$0.hasPrefix("sk-ant-") && !$0.hasPrefix("sk-or-") }),
        KnownService(
            id: "anthropic", title: "Anthropic", variables: ["ANTHROPIC_API_KEY"],
            page: "https://console.anthropic.com/settings/keys", beginning: "sk-ant-",
            matches: { $0.hasPrefix("sk-ant-") }),
        // Older keys are 32 hexadecimal digits.
        KnownService(
            id: "elevenlabs", title: "ElevenLabs", variables: ["ELEVENLABS_API_KEY", "ELEVEN_API_KEY"],
            page: "https://elevenlabs.io/app/settings/api-keys", beginning: nil,
            matches: { key in
                key.hasPrefix("sk_") || key.utf8.count == 32 && key.allSatisfy { $0.isASCII && $0.isHexDigit }
            }),
    ]

    /// Returns whether a text looks like a key of a supported service.
    package static func isKey(_ text: String) -> Bool { all.contains { $0.matches?(text) == true } }

    /// Returns the service with a name; `nil` for an unknown name.
    package static func named(_ service: String) -> KnownService? { all.first { $0.id == service } }

    /// Returns a warning about a key's form, in one or two sentences. Returns `nil` if the form is as expected or
    /// unknown.
    ///
    /// A key with a warning is still accepted, because vendors change the form of their keys, and compatible servers
    /// have their own forms. The warning contains no part of the key.
    package static func advice(for key: APIKey, of service: String) -> String? {
        guard let known = named(service), known.matches?(key.secret) == false else { return nil }
        let other = all.first { $0.id != service && $0.matches?(key.secret) == true }
        let form = known.beginning.map { "Keys of \(known.title) begin with \($0), but this one does not." }
        let look = other.map { "It looks like a key of \($0.title)." }
        let first = form ?? "This does not look like a key of \(known.title)."
        return [first, look].compactMap { $0 }.joined(separator: " ") + " Check that it is the right one."
    }

    package static func == (lhs: KnownService, rhs: KnownService) -> Bool { lhs.id == rhs.id }
    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension KnownService {
    /// Creates the service for a preset.
    fileprivate init(_ preset: OpenAIPreset) {
        var matches: (@Sendable (String) -> Bool)?
        if let beginning = preset.keyBeginning { matches = { $0.hasPrefix(beginning) } }
        self.init(
            id: preset.id, title: preset.title, variables: preset.variables, page: preset.page,
            beginning: preset.keyBeginning, matches: matches)
    }
}
