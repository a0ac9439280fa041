import Hablare
import HablareJSON

/// What a message used, as the service counts it.
struct AnthropicTokens: Sendable, Hashable {
    private var input: Int64 = 0
    private var cacheWrites: Int64 = 0
    private var cacheReads: Int64 = 0
    private var output: Int64 = 0
    private var thinking: Int64?

    /// Takes what an event says; later ones are of the whole message again, and what they leave out stays.
    mutating func learn(_ usage: ParameterValue?) {
        input = usage?[member: "input_tokens"]?.count ?? input
        cacheWrites = usage?[member: "cache_creation_input_tokens"]?.count ?? cacheWrites
        cacheReads = usage?[member: "cache_read_input_tokens"]?.count ?? cacheReads
        output = usage?[member: "output_tokens"]?.count ?? output
        thinking = usage?[member: "output_tokens_details"]?[member: "thinking_tokens"]?.count ?? thinking
    }

    /// For the ledger, in which tokens written to the service's cache and read from it are a part of the input.
    var usage: Usage {
        let read = [cacheWrites, cacheReads].reduce(input) { sum, more in
            let (total, overflows) = sum.addingReportingOverflow(more)
            return overflows ? .max : total
        }
        return Usage(
            inputTokens: read, outputTokens: output, cachedInputTokens: cacheReads, cacheWriteTokens: cacheWrites)
    }

    /// For whoever looks at the answer.
    var metadata: [String: String] {
        var metadata: [String: String] = [:]
        if cacheReads > 0 { metadata[AnswerMetadata.cachedInputTokens] = "\(cacheReads)" }
        if cacheWrites > 0 { metadata[AnswerMetadata.cacheWriteTokens] = "\(cacheWrites)" }
        if let thinking, thinking > 0 { metadata[AnswerMetadata.reasoningTokens] = "\(thinking)" }
        return metadata
    }
}
