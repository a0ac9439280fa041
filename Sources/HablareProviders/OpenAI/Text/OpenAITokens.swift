import Hablare
import HablareJSON

/// The usage of an answer, as the service reports it in any of its APIs.
///
/// A count may be a text instead of a number, or may be missing. The answer is still used, because it is billed.
struct OpenAITokens: Sendable, Hashable {
    private(set) var usage = Usage()
    private var cached: Int64?
    private var cacheWrites: Int64?
    private var reasoning: Int64?

    /// Updates the counts from an answer. If the answer omits a count, the count does not change.
    mutating func learn(_ value: ParameterValue?) {
        guard let value else { return }
        usage.inputTokens = Self.count(value, "prompt_tokens", "input_tokens") ?? usage.inputTokens
        usage.outputTokens = Self.count(value, "completion_tokens", "output_tokens") ?? usage.outputTokens
        // Transcripts name the details differently (openai 3.57.0, types/audio/transcription.py).
        if let input = value[member: "prompt_tokens_details"] ?? value[member: "input_tokens_details"]
            ?? value[member: "input_token_details"]
        {
            cached = Self.count(input, "cached_tokens") ?? cached
            cacheWrites = Self.count(input, "cache_write_tokens") ?? cacheWrites
            (usage.cachedInputTokens, usage.cacheWriteTokens) = (cached ?? 0, cacheWrites ?? 0)
            usage.imageInputTokens = Self.count(input, "image_tokens") ?? usage.imageInputTokens
            usage.audioInputTokens = Self.count(input, "audio_tokens") ?? usage.audioInputTokens
        }
        if let output = value[member: "completion_tokens_details"] ?? value[member: "output_tokens_details"] {
            reasoning = Self.count(output, "reasoning_tokens") ?? reasoning
            usage.audioOutputTokens = Self.count(output, "audio_tokens") ?? usage.audioOutputTokens
        }
    }

    /// Returns the first of the members that is a count: a number, or a text with a number.
    private static func count(_ value: ParameterValue, _ names: String...) -> Int64? {
        for name in names {
            guard let found = value[member: name] else { continue }
            let written = found.string.flatMap { Double($0) }.map { ParameterValue.double($0) }
            if let count = (written ?? found).count { return count }
        }
        return nil
    }

    /// The counts in the answer's metadata.
    var metadata: [String: String] {
        var metadata: [String: String] = [:]
        metadata[AnswerMetadata.cachedInputTokens] = cached.map(String.init)
        metadata[AnswerMetadata.cacheWriteTokens] = cacheWrites.map(String.init)
        metadata[AnswerMetadata.reasoningTokens] = reasoning.map(String.init)
        return metadata
    }
}
