/// The table of presets, as the services document them (November 2026). Each address is the page read.
extension OpenAIPreset {
    /// All presets: services on the network first, then servers for one's own machine.
    public static let all: [OpenAIPreset] = [
        // https://openrouter.ai/docs/api-reference/overview
        OpenAIPreset(
            "openrouter", "OpenRouter", "https://openrouter.ai/api/v1", ["OPENROUTER_API_KEY"],
            page: "https://openrouter.ai/settings/keys", keys: "sk-or-", offers: [.text, .embedding],
            .with(.maxTokens)),
        // https://console.groq.com/docs/api-reference: max_tokens is deprecated.
        OpenAIPreset(
            "groq", "Groq", "https://api.groq.com/openai/v1", ["GROQ_API_KEY"],
            page: "https://console.groq.com/keys", keys: "gsk_", offers: [.text, .speech],
            .with(.maxCompletionTokens)),
        // https://docs.mistral.ai/api: 422 for stream_options, max_completion_tokens and seed.
        OpenAIPreset(
            "mistral", "Mistral", "https://api.mistral.ai/v1", ["MISTRAL_API_KEY"],
            page: "https://console.mistral.ai/api-keys", offers: [.text, .embedding],
            .with(.maxTokens) {
                $0.streamsUsage = false
                $0.seedName = .randomSeed
            }),
        // https://api-docs.deepseek.com/api/create-chat-completion: response_format is text or json_object.
        OpenAIPreset(
            "deepseek", "DeepSeek", "https://api.deepseek.com/v1", ["DEEPSEEK_API_KEY"],
            page: "https://platform.deepseek.com/api_keys", offers: [.text],
            .with(.maxTokens) { $0.structure = .object }),
        // https://docs.x.ai/docs/api-reference: max_tokens is deprecated.
        OpenAIPreset(
            "xai", "xAI", "https://api.x.ai/v1", ["XAI_API_KEY"],
            page: "https://console.x.ai", keys: "xai-", offers: [.text, .image],
            .with(.maxCompletionTokens)),
        // https://ai.google.dev/gemini-api/docs/openai
        OpenAIPreset(
            "gemini", "Gemini", "https://generativelanguage.googleapis.com/v1beta/openai",
            ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
            page: "https://aistudio.google.com/apikey", offers: [.text, .image, .embedding],
            .with(.maxTokens)),
        // https://docs.together.ai/docs/openai-api-compatibility: the last chunk of a stream has the usage unasked.
        OpenAIPreset(
            "together", "Together", "https://api.together.xyz/v1", ["TOGETHER_API_KEY"],
            page: "https://api.together.ai/settings/api-keys", offers: [.text, .speech, .image, .embedding],
            .with(.maxTokens) { $0.streamsUsage = false }),
        // https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle: models are names of deployments.
        OpenAIPreset(
            "azure", "Azure OpenAI", "https://\(placeholder).openai.azure.com/openai/v1", ["AZURE_OPENAI_API_KEY"],
            page: "https://portal.azure.com", keyField: "api-key", offers: [.text, .speech, .image, .embedding],
            .openAI),
        // https://docs.ollama.com/api/openai-compatibility
        OpenAIPreset(
            "ollama", "Ollama", "http://localhost:11434/v1", ["OLLAMA_API_KEY"],
            page: "https://docs.ollama.com/api/openai-compatibility", needsKey: false, offers: [.text, .embedding],
            .with(.maxTokens)),
        // https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
        OpenAIPreset(
            "llama-cpp", "llama.cpp", "http://localhost:8080/v1", ["LLAMA_API_KEY"],
            page: "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md", needsKey: false,
            offers: [.text, .embedding], .with(.maxTokens)),
        // https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
        OpenAIPreset(
            "vllm", "vLLM", "http://localhost:8000/v1", ["VLLM_API_KEY"],
            page: "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html", needsKey: false,
            offers: [.text, .embedding], .with(.maxTokens) { $0.encodesVectors = true }),
    ]

    private init(
        _ id: String, _ title: String, _ address: String, _ variables: [String], page: String, keys: String? = nil,
        needsKey: Bool = true, keyField: String? = nil, offers: Set<Offer>, _ compatibility: OpenAICompatibility
    ) {
        self.init(
            id: id, title: title, address: address, variables: variables, page: page, keyBeginning: keys,
            needsKey: needsKey, keyField: keyField, offers: offers, compatibility: compatibility)
    }
}

extension OpenAICompatibility {
    /// Returns the settings of a server that knows vectors of numbers only, with further differences.
    fileprivate static func with(
        _ limit: TokenLimit, _ change: (inout OpenAICompatibility) -> Void = { _ in }
    ) -> OpenAICompatibility {
        var compatibility = OpenAICompatibility(tokenLimit: limit, encodesVectors: false)
        change(&compatibility)
        return compatibility
    }
}
