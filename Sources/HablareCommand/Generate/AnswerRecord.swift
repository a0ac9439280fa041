import Foundation
import Hablare

/// All that there is to say of an answer, for programs: what `hablare show --json` has, and the answer itself.
struct AnswerRecord: Encodable, Sendable {
    private let details: RequestDetails
    private let text: String?
    private let value: ParameterValue?
    private let toolCalls: [ToolCall]
    private let finishReason: String?
    private let usage: Usage?
    private let repairs: Int?
    private let problem: String?

    /// Reads the answer.
    ///
    /// - Parameters:
    ///   - value: The value that a schema wanted, where it is not the answer's own.
    ///   - repairs: How often the answer was mended; `nil` where no schema wanted anything.
    ///   - problem: Why the answer is of no use, though there is one.
    ///   - usage: What was used for it, where that is more than the answer's own.
    /// - Throws: `AIServiceError` for content or metadata that cannot be read.
    init(
        _ details: RequestDetails, value: ParameterValue? = nil, repairs: Int? = nil, problem: String? = nil,
        usage: Usage? = nil
    ) async throws {
        self.details = details
        self.repairs = repairs
        self.problem = problem
        let response = details.response
        var text: String?
        var own: ParameterValue?
        switch response?.result {
        case .success(.text(let body)): text = String(decoding: try await body.data(), as: UTF8.self)
        case .success(.structured(let tree)): own = tree
        default: break
        }
        self.text = text
        self.value = value ?? own
        toolCalls = try response?.toolCalls ?? []
        finishReason = response?.metadata[AnswerMetadata.finishReason]
        self.usage = usage ?? response?.usage
    }

    private enum CodingKeys: String, CodingKey {
        case text, value, toolCalls, finishReason, usage, costMicroDollars, repairs, problem
    }

    private enum UsageKeys: String, CodingKey {
        case inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, characters, bytes, audioMilliseconds
    }

    func encode(to encoder: any Encoder) throws {
        try details.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(text, forKey: .text)
        try container.encodeIfPresent(value, forKey: .value)
        if !toolCalls.isEmpty { try container.encode(toolCalls, forKey: .toolCalls) }
        try container.encodeIfPresent(finishReason, forKey: .finishReason)
        try container.encodeIfPresent(repairs, forKey: .repairs)
        try container.encodeIfPresent(problem, forKey: .problem)
        guard let usage else { return }
        try container.encode(usage.costMicroDollars, forKey: .costMicroDollars)
        var counts = container.nestedContainer(keyedBy: UsageKeys.self, forKey: .usage)
        try counts.encode(usage.inputTokens, forKey: .inputTokens)
        try counts.encode(usage.cachedInputTokens, forKey: .cachedInputTokens)
        try counts.encode(usage.cacheWriteTokens, forKey: .cacheWriteTokens)
        try counts.encode(usage.outputTokens, forKey: .outputTokens)
        try counts.encode(usage.characters, forKey: .characters)
        try counts.encode(usage.bytes, forKey: .bytes)
        try counts.encode(usage.audioMilliseconds, forKey: .audioMilliseconds)
    }
}
