/// The differences between OpenAI's API and compatible servers.
///
/// For example, for a server that knows only the oldest names and no JSON schemas:
///
/// ```swift
/// var compatibility = OpenAICompatibility(tokenLimit: .maxTokens, streamsUsage: false, encodesVectors: false)
/// compatibility.structure = .object
/// ```
public struct OpenAICompatibility: Sendable, Hashable {
    /// The name of the chat API's limit of output tokens.
    public enum TokenLimit: String, Sendable, Hashable, CaseIterable {
        /// `max_completion_tokens`: OpenAI, whose newer models refuse the old name.
        case maxCompletionTokens = "max_completion_tokens"
        /// `max_tokens`: nearly every other server.
        case maxTokens = "max_tokens"
    }

    /// The strictest form of an answer that the chat API can promise.
    public enum Structure: String, Sendable, Hashable, CaseIterable {
        /// A JSON schema (`response_format` of the type `json_schema`).
        case schema = "json_schema"
        /// Any JSON object (`json_object`). A request's schema is written into the instructions.
        case object = "json_object"
        /// None: the server refuses `response_format`. A request's schema is written into the instructions.
        case none
    }

    /// The role of the chat API's instructions.
    public enum SystemRole: String, Sendable, Hashable, CaseIterable {
        /// `system`.
        case system
        /// `developer`.
        case developer
        /// None: the instructions begin the user's next message.
        case user
    }

    /// The name of the chat API's seed.
    public enum SeedName: String, Sendable, Hashable, CaseIterable {
        /// `seed`.
        case seed
        /// `random_seed`: Mistral.
        case randomSeed = "random_seed"
    }

    /// The name of the output token limit. Default ``TokenLimit/maxCompletionTokens``. For example, `.maxTokens` for
    /// llama.cpp.
    public var tokenLimit: TokenLimit
    /// Whether to request the usage at the end of a stream (`stream_options`). Otherwise a streamed answer has the
    /// usage that the server reports by itself, if any. Default `true`. For example, `false` for a server that refuses
    /// `stream_options`.
    public var streamsUsage: Bool
    /// Whether to request vectors in base64, which needs only a third of the bytes. The provider reads both forms.
    /// Default `true`. For example, `false` for a server that knows only vectors of numbers.
    public var encodesVectors: Bool
    /// The strictest form of an answer that the server can promise. Default ``Structure/schema``. For example, `.object`
    /// for DeepSeek.
    public var structure = Structure.schema
    /// Whether the server takes tools. Otherwise a request with tools is refused before it is sent. Default `true`. For
    /// example, `false` for a model whose template has no tools.
    public var takesTools = true
    /// The role of instructions. Default ``SystemRole/system``. For example, `.user` for a model whose template has no
    /// system message.
    public var systemRole = SystemRole.system
    /// The name of the seed. Default ``SeedName/seed``. For example, `.randomSeed` for Mistral.
    public var seedName = SeedName.seed

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
