/// The differences between OpenAI's API and compatible servers.
///
/// For example, for a server that accepts only the oldest parameter names and no JSON schemas:
///
/// ```swift
/// var compatibility = OpenAICompatibility(tokenLimit: .maxTokens, streamsUsage: false, encodesVectors: false)
/// compatibility.structure = .object
/// ```
public struct OpenAICompatibility: Sendable, Hashable {
    /// The name of the chat API's parameter for the maximum number of output tokens.
    public enum TokenLimit: String, Sendable, Hashable, CaseIterable {
        /// `max_completion_tokens`: OpenAI. Its newer models refuse `max_tokens`.
        case maxCompletionTokens = "max_completion_tokens"
        /// `max_tokens`: nearly every other server.
        case maxTokens = "max_tokens"
    }

    /// The strictest form of an answer that the chat API of a server can enforce.
    public enum Structure: String, Sendable, Hashable, CaseIterable {
        /// A JSON schema (`response_format` of the type `json_schema`).
        case schema = "json_schema"
        /// Any JSON object (`json_object`). A request's schema is written into the instructions.
        case object = "json_object"
        /// No form. The server refuses `response_format`. A request's schema is written into the instructions.
        case none
    }

    /// The role of the message with the instructions in the chat API.
    public enum SystemRole: String, Sendable, Hashable, CaseIterable {
        /// `system`.
        case system
        /// `developer`.
        case developer
        /// No message with instructions. The instructions are put at the beginning of the user's next message.
        case user
    }

    /// The name of the chat API's parameter for the seed.
    public enum SeedName: String, Sendable, Hashable, CaseIterable {
        /// `seed`.
        case seed
        /// `random_seed`: Mistral.
        case randomSeed = "random_seed"
    }

    /// The name of the parameter for the maximum number of output tokens. Default: ``TokenLimit/maxCompletionTokens``.
    /// For example, use `.maxTokens` for llama.cpp.
    public var tokenLimit: TokenLimit
    /// Whether to request the usage at the end of a stream (`stream_options`). Default: `true`. For example, use
    /// `false` for a server that refuses `stream_options`. The usage of a streamed answer is then known only if the
    /// server reports it anyway.
    public var streamsUsage: Bool
    /// Whether to request vectors in base64, which needs only a third of the bytes. Default: `true`. For example, use
    /// `false` for a server that can send only numbers. The provider reads both forms.
    public var encodesVectors: Bool
    /// The strictest form of an answer that the server can enforce. Default: ``Structure/schema``. For example, use
    /// `.object` for DeepSeek.
    public var structure = Structure.schema
    /// Whether the server accepts tools. If `false`, a request with tools is refused before it is sent. Default:
    /// `true`. For example, use `false` for a model whose template has no tools.
    public var takesTools = true
    /// The role of the message with the instructions. Default: ``SystemRole/system``. For example, use `.user` for a
    /// model whose template has no system message.
    public var systemRole = SystemRole.system
    /// The name of the parameter for the seed. Default: ``SeedName/seed``. For example, use `.randomSeed` for Mistral.
    public var seedName = SeedName.seed

    /// Whether to send the model's reasoning back in its turns with tool calls (`reasoning_content`). Other servers may
    /// refuse this member. Default: `false`. For example, `true` for DeepSeek, which refuses such a turn without its
    /// reasoning.
    public var returnsReasoning = false

    /// Whether to adapt schemas to OpenAI's rules for strict schemas. These rules require that objects are closed, that
    /// every member is required, and that every keyword is one that OpenAI enforces. An adapted schema is sent as
    /// strict. If `false`, every schema is sent unchanged and not strict. A server that enforces schemas with its own
    /// grammar accepts any schema.
    public var fitsSchemas: Bool
    /// The maximum number of texts in one call for vectors. At least 1.
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

    /// The rules to which schemas are adapted; `nil` to send schemas unchanged.
    var schemas: SchemaDialect? { fitsSchemas ? .openAI : nil }

    /// The settings for OpenAI itself.
    public static let openAI = OpenAICompatibility()
    /// The settings for llama.cpp, Ollama, vLLM and most other servers.
    public static let others = OpenAICompatibility(
        tokenLimit: .maxTokens, encodesVectors: false, fitsSchemas: false, textsPerCall: 64)
}
