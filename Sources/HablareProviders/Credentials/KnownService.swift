/// What is known of the keys of a service that ships: where they come from, and how they look.
package struct KnownService: Sendable, Hashable {
    /// The name that it goes by in settings and commands.
    package let id: String
    /// Its name in a sentence.
    package let title: String
    /// The environment variables that its own software reads the key from, the strongest first.
    package let variables: [String]
    /// Where somebody makes and revokes keys.
    package let page: String
    /// What its keys begin with, as far as that was always so.
    package let beginning: String?
    private let matches: @Sendable (String) -> Bool

    /// All of them.
    package static let all = [
        KnownService(
            id: "openai", title: "OpenAI", variables: ["OPENAI_API_KEY"],
            page: "https://platform.openai.com/api-keys", beginning: "sk-",
            matches: { $0.hasPrefix("sk-") && !$0.hasPrefix("sk-ant-") }),
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

    /// Whether a text looks like a key of one of them.
    package static func isKey(_ text: String) -> Bool { all.contains { $0.matches(text) } }

    /// The one of a name; `nil` where nothing is known of it.
    package static func named(_ service: String) -> KnownService? { all.first { $0.id == service } }

    /// What is odd about a key, a sentence or two; `nil` where it looks as it should, or nobody knows how it should.
    ///
    /// Advice and no refusal: vendors change the form of their keys, and servers that speak like them have their own.
    /// Has nothing of the key in it.
    package static func advice(for key: APIKey, of service: String) -> String? {
        guard let known = named(service), !known.matches(key.secret) else { return nil }
        let other = all.first { $0.id != service && $0.matches(key.secret) }
        let form = known.beginning.map { "Keys of \(known.title) begin with \($0), and this one does not." }
        let look = other.map { "It looks like a key of \($0.title)." }
        let first = form ?? "This does not look like a key of \(known.title)."
        return [first, look].compactMap { $0 }.joined(separator: " ") + " Look whether it is the right one."
    }

    package static func == (lhs: KnownService, rhs: KnownService) -> Bool { lhs.id == rhs.id }
    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
