import Hablare
import HablareJSON

/// The token counts of a message, as the service reports them.
struct AnthropicTokens: Sendable, Hashable {
    private var input: Int64 = 0
    private var cacheWrites: Int64 = 0
    private var cacheReads: Int64 = 0
    private var output: Int64 = 0
    private var thinking: Int64?

    /// Updates the counts from an event. Each event reports the counts of the whole message so far. If an event omits a
    /// count, the count does not change.
    mutating func learn(_ usage: ParameterValue?) {
        input = usage?[member: "input_tokens"]?.count ?? input
        cacheWrites = usage?[member: "cache_creation_input_tokens"]?.count ?? cacheWrites
        cacheReads = usage?[member: "cache_read_input_tokens"]?.count ?? cacheReads
        output = usage?[member: "output_tokens"]?.count ?? output
        thinking = usage?[member: "output_tokens_details"]?[member: "thinking_tokens"]?.count ?? thinking
    }

    /// Returns the sum of the counts of two messages.
    func adding(_ other: AnthropicTokens) -> AnthropicTokens {
        func sum(_ one: Int64, _ two: Int64) -> Int64 {
            let (total, overflows) = one.addingReportingOverflow(two)
            return overflows ? .max : total
        }
        var both = self
        both.input = sum(input, other.input)
        both.cacheWrites = sum(cacheWrites, other.cacheWrites)
        both.cacheReads = sum(cacheReads, other.cacheReads)
        both.output = sum(output, other.output)
        if thinking != nil || other.thinking != nil { both.thinking = sum(thinking ?? 0, other.thinking ?? 0) }
        return both
    }

    /// The usage for the ledger (the record of usage and cost). Tokens that are written to or read from the service's
    /// cache count as input.
    var usage: Usage {
        let read = [cacheWrites, cacheReads].reduce(input) { sum, more in
            let (total, overflows) = sum.addingReportingOverflow(more)
            return overflows ? .max : total
        }
        return Usage(
            inputTokens: read, outputTokens: output, cachedInputTokens: cacheReads, cacheWriteTokens: cacheWrites)
    }

    /// The counts in the answer's metadata.
    var metadata: [String: String] {
        var metadata: [String: String] = [:]
        if cacheReads > 0 { metadata[AnswerMetadata.cachedInputTokens] = "\(cacheReads)" }
        if cacheWrites > 0 { metadata[AnswerMetadata.cacheWriteTokens] = "\(cacheWrites)" }
        if let thinking, thinking > 0 { metadata[AnswerMetadata.reasoningTokens] = "\(thinking)" }
        return metadata
    }
}
