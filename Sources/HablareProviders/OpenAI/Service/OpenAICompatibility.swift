/// The differences between OpenAI's API and compatible servers.
///
/// For example, for a server that knows only the oldest names:
///
/// ```swift
/// let compatibility = OpenAICompatibility(tokenLimit: .maxTokens, streamsUsage: false, encodesVectors: false)
/// ```
public struct OpenAICompatibility: Sendable, Hashable {
    /// The name of the chat API's limit of output tokens.
    public enum TokenLimit: String, Sendable, Hashable {
        /// `max_completion_tokens`: OpenAI, whose newer models refuse the old name.
        case maxCompletionTokens = "max_completion_tokens"
        /// `max_tokens`: nearly every other server.
        case maxTokens = "max_tokens"
    }

    /// The name of the output token limit. Default ``TokenLimit/maxCompletionTokens``. For example, `.maxTokens` for
    /// llama.cpp.
    public var tokenLimit: TokenLimit
    /// Whether to request the usage at the end of a stream (`stream_options`). Otherwise the usage of a streamed answer
    /// is unknown. Default `true`. For example, `false` for a server that refuses `stream_options`.
    public var streamsUsage: Bool
    /// Whether to request vectors in base64, which needs only a third of the bytes. The provider reads both forms.
    /// Default `true`. For example, `false` for a server that knows only vectors of numbers.
    public var encodesVectors: Bool

    /// Creates settings.
    public init(tokenLimit: TokenLimit = .maxCompletionTokens, streamsUsage: Bool = true, encodesVectors: Bool = true) {
        self.tokenLimit = tokenLimit
        self.streamsUsage = streamsUsage
        self.encodesVectors = encodesVectors
    }

    /// OpenAI itself.
    public static let openAI = OpenAICompatibility()
    /// The settings for llama.cpp, Ollama, vLLM and most other servers.
    public static let others = OpenAICompatibility(tokenLimit: .maxTokens, encodesVectors: false)
}
