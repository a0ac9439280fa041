import Hablare

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

    /// For the ledger. Tokens written to the service's cache and read from it are input like others there: the price
    /// table has one price for input. They cost 1.25 and 0.025 to 0.1 times as much, so a cost with much of them is too
    /// high, and one of a first call a little too low.
    var usage: Usage {
        let read = [cacheWrites, cacheReads].reduce(input) { sum, more in
            let (total, overflows) = sum.addingReportingOverflow(more)
            return overflows ? .max : total
        }
        return Usage(inputTokens: read, outputTokens: output)
    }

    /// What the ledger has no column for.
    var metadata: [String: String] {
        var metadata: [String: String] = [:]
        if cacheReads > 0 { metadata[AnswerMetadata.cachedInputTokens] = "\(cacheReads)" }
        if cacheWrites > 0 { metadata[AnswerMetadata.cacheWriteTokens] = "\(cacheWrites)" }
        if let thinking, thinking > 0 { metadata[AnswerMetadata.reasoningTokens] = "\(thinking)" }
        return metadata
    }
}
