/// The table of presets.
///
/// The table was checked in November 2026 against stored copies of the services' pages and libraries. Some copies were
/// older. No service was called. A comment above each row has the addresses of these copies. Some copies contain only
/// the beginning of a page. The comment also names each fact that was not found; such a fact is not checked. The pages
/// for keys of Mistral, xAI, Together and Azure were not found either.
///
/// Services on the network receive schemas that are adapted to OpenAI's rules, which are the strictest. OpenRouter
/// passes schemas on to OpenAI. The documentation of the others has closed objects with required members in its
/// examples.
extension OpenAIPreset {
    /// All presets. Services on the network precede servers for the user's own machine.
    public static let all: [OpenAIPreset] = [
        // https://openrouter.ai/docs/api_reference/overview
        // https://openrouter.ai/docs/guides/overview/multimodal/tts
        // max_tokens is deprecated and accepted. The usage of a stream comes without a request. Pictures have their own API
        // (POST images), and transcripts too (JSON with base64). Not found: whether each model obeys the new name.
        OpenAIPreset(
            "openrouter", "OpenRouter", "https://openrouter.ai/api/v1", ["OPENROUTER_API_KEY"],
            page: "https://openrouter.ai/keys", keys: "sk-or-", offers: [.text, .speech, .embedding],
            .with(.maxTokens) { $0.fitsSchemas = true }),
        // https://console.groq.com/docs/openai
        // https://console.groq.com/docs/speech-to-text
        // max_tokens is deprecated (groq-python). Speech is WAV alone: 400 for other formats (reports of 2026).
        // https://console.groq.com/docs/structured-outputs.md
        // Only some models take json_schema, and fewer take strict ones. Not found: stream_options.
        OpenAIPreset(
            "groq", "Groq", "https://api.groq.com/openai/v1", ["GROQ_API_KEY"],
            page: "https://console.groq.com/keys", keys: "gsk_", offers: [.text, .speech, .transcription],
            .with(.maxCompletionTokens)),
        // https://docs.mistral.ai/api/
        // 422 for include_usage (reports of 2025) and max_completion_tokens (of 2026). The library (client-python) has
        // random_seed, and neither seed nor stream_options. Speech has a form of its own (voice_id). It also has
        // audio/transcriptions. Not found: whether that takes OpenAI's fields.
        OpenAIPreset(
            "mistral", "Mistral", "https://api.mistral.ai/v1", ["MISTRAL_API_KEY"],
            page: "https://console.mistral.ai/api-keys", offers: [.text, .embedding],
            .with(.maxTokens) {
                $0.streamsUsage = false
                $0.seedName = .randomSeed
                $0.fitsSchemas = true
            }),
        // https://api-docs.deepseek.com/quick_start/your_first_api_call.md
        // https://api-docs.deepseek.com/guides/json_mode.md
        // https://api-docs.deepseek.com/guides/thinking_mode
        // https://github.com/deepseek-ai/deepseek-harness/discussions/739
        // 400 for json_schema (a report of July 2026). 400 for a turn with tool calls that lacks its reasoning_content,
        // even an empty one. Not found: the reference of chat/completions itself.
        OpenAIPreset(
            "deepseek", "DeepSeek", "https://api.deepseek.com", ["DEEPSEEK_API_KEY"],
            page: "https://platform.deepseek.com/api_keys", offers: [.text],
            .with(.maxTokens) {
                $0.structure = .object
                $0.returnsReasoning = true
            }),
        // https://docs.x.ai/developers/rest-api-reference/inference
        // max_tokens is deprecated, by another site's copy of the reference. Chat is a legacy API. Speech and
        // transcripts have APIs of their own (POST tts, POST stt). Not found: stream_options.
        OpenAIPreset(
            "xai", "xAI", "https://api.x.ai/v1", ["XAI_API_KEY"],
            page: "https://console.x.ai", keys: "xai-", offers: [.text, .image],
            .with(.maxCompletionTokens) { $0.fitsSchemas = true }),
        // https://ai.google.dev/gemini-api/docs/openai
        // https://ai.google.dev/api/compatibility
        // Both names of the limit are documented. More than 100 texts in a call are refused (a report of January 2026).
        // Google's libraries prefer GOOGLE_API_KEY.
        OpenAIPreset(
            "gemini", "Gemini", "https://generativelanguage.googleapis.com/v1beta/openai",
            ["GOOGLE_API_KEY", "GEMINI_API_KEY"],
            page: "https://aistudio.google.com/apikey", offers: [.text, .image, .embedding],
            .with(.maxTokens) {
                $0.textsPerCall = 100
                $0.fitsSchemas = true
            }),
        // https://docs.together.ai/docs/inference/openai-compatibility
        // The library (together-py) has neither stream_options nor max_completion_tokens. For pictures it has the
        // response_format base64, and this provider asks for b64_json. Not found: whether a stream has its usage unasked.
        OpenAIPreset(
            "together", "Together", "https://api.together.ai/v1", ["TOGETHER_API_KEY"],
            page: "https://api.together.ai/settings/api-keys", offers: [.text, .speech, .embedding],
            .with(.maxTokens) {
                $0.streamsUsage = false
                $0.fitsSchemas = true
            }),
        // https://learn.microsoft.com/en-us/azure/foundry/openai/api-version-lifecycle
        // https://learn.microsoft.com/azure/ai-services/openai/reference-preview-latest
        // Models are names of deployments. Speech, transcripts and pictures are in preview, with api-version=preview.
        // Not found: whether they work without it.
        OpenAIPreset(
            "azure", "Azure OpenAI", "https://\(placeholder).openai.azure.com/openai/v1", ["AZURE_OPENAI_API_KEY"],
            page: "https://portal.azure.com", keyField: "api-key",
            offers: [.text, .speech, .image, .embedding, .transcription], .openAI),
        // https://docs.ollama.com/api/openai-compatibility
        // https://docs.ollama.com/capabilities/speech
        // The local server ignores the key: OLLAMA_API_KEY is for https://ollama.com/v1. Speech needs version 0.40.8.
        // Pictures are experimental. Not found: json_schema by name, and the formats of speech.
        OpenAIPreset(
            "ollama", "Ollama", "http://localhost:11434/v1", ["OLLAMA_API_KEY"],
            page: "https://docs.ollama.com/api/openai-compatibility", needsKey: false,
            offers: [.text, .speech, .image, .embedding], .with(.maxTokens)),
        // https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
        // Not found: stream_options, and base64 vectors.
        OpenAIPreset(
            "llama-cpp", "llama.cpp", "http://localhost:8080/v1", ["LLAMA_API_KEY"],
            page: "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md", needsKey: false,
            offers: [.text, .embedding], .with(.maxTokens)),
        // https://docs.vllm.ai/en/stable/serving/online_serving.html
        // https://docs.vllm.ai/en/v0.9.2/examples/online_serving/openai_transcription_client.html
        // max_tokens is deprecated and accepted (protocol.py). Speech and pictures are in vLLM-Omni, another program.
        OpenAIPreset(
            "vllm", "vLLM", "http://localhost:8000/v1", ["VLLM_API_KEY"],
            page: "https://docs.vllm.ai/en/stable/serving/online_serving.html", needsKey: false,
            offers: [.text, .embedding, .transcription], .with(.maxTokens) { $0.encodesVectors = true }),
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
    /// Returns ``others`` with a token limit and further differences.
    fileprivate static func with(
        _ limit: TokenLimit, _ change: (inout OpenAICompatibility) -> Void = { _ in }
    ) -> OpenAICompatibility {
        var compatibility = OpenAICompatibility.others
        compatibility.tokenLimit = limit
        change(&compatibility)
        return compatibility
    }
}
