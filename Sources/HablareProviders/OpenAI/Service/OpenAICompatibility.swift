/// Where servers that speak OpenAI's API differ from it, and from one another.
public struct OpenAICompatibility: Sendable, Hashable {
    /// Under which name the chat API takes the largest number of output tokens.
    public enum TokenLimit: String, Sendable, Hashable {
        /// `max_completion_tokens`: OpenAI, whose newer models refuse the old name.
        case maxCompletionTokens = "max_completion_tokens"
        /// `max_tokens`: nearly everybody else.
        case maxTokens = "max_tokens"
    }

    /// The name of the limit of output tokens.
    public var tokenLimit: TokenLimit
    /// Whether a stream is asked to say at its end what it used (`stream_options`). Without it a streamed answer's usage
    /// is not known.
    public var streamsUsage: Bool
    /// Whether vectors are asked for in base 64, which is a third of the bytes. Either form is read.
    public var encodesVectors: Bool

    /// Creates settings.
    public init(tokenLimit: TokenLimit = .maxCompletionTokens, streamsUsage: Bool = true, encodesVectors: Bool = true) {
        self.tokenLimit = tokenLimit
        self.streamsUsage = streamsUsage
        self.encodesVectors = encodesVectors
    }

    /// OpenAI itself.
    public static let openAI = OpenAICompatibility()
    /// What llama.cpp, Ollama, vLLM and most others understand.
    public static let others = OpenAICompatibility(tokenLimit: .maxTokens, encodesVectors: false)
}
