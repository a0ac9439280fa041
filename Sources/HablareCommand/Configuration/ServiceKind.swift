/// How a service speaks.
enum ServiceKind: String, Sendable, Hashable, CaseIterable {
    case openai, anthropic, elevenlabs

    /// Where the service is that gave the kind its name.
    var address: String {
        switch self {
        case .openai: "https://api.openai.com/v1"
        case .anthropic: "https://api.anthropic.com"
        case .elevenlabs: "https://api.elevenlabs.io"
        }
    }
}

/// With which of its interfaces an OpenAI service is asked for text.
enum TextInterface: String, Sendable, Hashable, CaseIterable {
    case chat, responses
}
