/// The differences between OpenAI's API and compatible servers.
public struct OpenAICompatibility: Sendable, Hashable {
    /// The name of the chat API's limit of output tokens.
    public enum TokenLimit: String, Sendable, Hashable {
        /// `max_completion_tokens`: OpenAI, whose newer models refuse the old name.
        case maxCompletionTokens = "max_completion_tokens"
        /// `max_tokens`: nearly every other server.
        case maxTokens = "max_tokens"
    }

    /// The name of the output token limit.
    public var tokenLimit: TokenLimit
    /// Whether to request the usage at the end of a stream (`stream_options`). Otherwise the usage of a streamed answer
    /// is unknown.
    public var streamsUsage: Bool
    /// Whether to request vectors in base64, which takes a third of the bytes. The provider reads both forms.
    public var encodesVectors: Bool

    /// Whether to fit schemas to OpenAI's rules for strict schemas: closed objects, every member required, and only the
    /// keywords that OpenAI enforces. Servers that enforce schemas by a grammar of their own take any schema.
    public var fitsSchemas: Bool
    /// The maximum number of texts in one call for vectors, at least 1.
    public var textsPerCall: Int

    /// Creates settings.
    public init(
        tokenLimit: TokenLimit = .maxCompletionTokens, streamsUsage: Bool = true, encodesVectors: Bool = true,
        fitsSchemas: Bool = true, textsPerCall: Int = 2048
    ) {
        self.tokenLimit = tokenLimit
        self.streamsUsage = streamsUsage
        self.encodesVectors = encodesVectors
        self.fitsSchemas = fitsSchemas
        self.textsPerCall = max(1, textsPerCall)
    }

    /// The rules to which schemas are fitted.
    var schemas: SchemaDialect? { fitsSchemas ? .openAI : nil }

    /// OpenAI itself.
    public static let openAI = OpenAICompatibility()
    /// The settings for llama.cpp, Ollama, vLLM and most other servers.
    public static let others = OpenAICompatibility(
        tokenLimit: .maxTokens, encodesVectors: false, fitsSchemas: false, textsPerCall: 64)
}
