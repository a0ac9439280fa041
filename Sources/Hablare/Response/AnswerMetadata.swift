import Foundation

/// What providers say beside an answer, by the names under which it stands in ``AIResponseData/metadata``.
///
/// A provider says what it knows and leaves out the rest; names of its own are its own.
public enum AnswerMetadata {
    /// The service's own name of the call, for its support.
    public static let requestID = "request_id"
    /// The model that answered, as the service names it: often more exact than the one that was asked for.
    public static let model = "model"
    /// Why the answer ends: `stop` where it is complete, `length` where it was cut, `tool_calls`, `refusal`, or the
    /// service's own word.
    public static let finishReason = "finish_reason"
    /// The tools that the model wants called, as JSON; read them with ``AIResponseData/toolCalls``.
    public static let toolCalls = "tool_calls"
    /// What the model thought before it answered, as JSON in the service's own form, to be sent back unchanged.
    public static let thinking = "thinking"
    /// The prompt as the service changed it before it made the picture.
    public static let revisedPrompt = "revised_prompt"
    /// The voice that spoke.
    public static let voice = "voice"
    /// When each word of the speech begins and ends, as JSON.
    public static let wordTimes = "word_times"
    /// When each sentence of the speech begins and ends, as JSON.
    public static let sentenceTimes = "sentence_times"
    /// Samples a second of a sound that has no header which says so.
    public static let sampleRate = "sample_rate"
    /// How many input tokens were read from the service's cache.
    public static let cachedInputTokens = "cached_input_tokens"
    /// How many input tokens were written to the service's cache.
    public static let cacheWriteTokens = "cache_write_tokens"
    /// How many output tokens were thought and not shown.
    public static let reasoningTokens = "reasoning_tokens"
}

extension AnswerMetadata {
    /// A list as the text of an entry, with sorted keys; `nil` for an empty one.
    static func text(of list: [some Encodable]) throws(AIServiceError) -> String? {
        guard !list.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(list), as: UTF8.self)
        } catch {
            throw AIServiceError(.invalidResponse, "The answer has a number that is not finite. Ask again.")
        }
    }
}

extension AIResponseData {
    /// The list in an entry of the metadata; empty where there is no such entry.
    func list<Element: Decodable>(in entry: String) throws(AIServiceError) -> [Element] {
        guard let text = metadata[entry] else { return [] }
        do {
            return try JSONDecoder().decode([Element].self, from: Data(text.utf8))
        } catch {
            throw AIServiceError(
                .invalidResponse, "The metadata of the answer cannot be read.", cause: "\(entry): \(type(of: error))")
        }
    }
}

/// Why a model's answer ends. Providers may have words of their own.
public struct FinishReason: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    /// The word, as it stands in ``AnswerMetadata/finishReason``.
    public let rawValue: String
    /// Creates a reason by its word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The word.
    public var description: String { rawValue }

    /// It is complete.
    public static let stop = Self(rawValue: "stop")
    /// It was cut: it became longer than it may be.
    public static let length = Self(rawValue: "length")
    /// The model wants tools called.
    public static let toolCalls = Self(rawValue: "tool_calls")
    /// The model does not want to answer.
    public static let refusal = Self(rawValue: "refusal")
    /// The service does not want to pass the answer on, or not all of it.
    public static let contentFilter = Self(rawValue: "content_filter")
}

extension AIResponseData {
    /// Why the answer ends; `nil` where the provider does not say.
    public var finishReason: FinishReason? { metadata[AnswerMetadata.finishReason].map(FinishReason.init(rawValue:)) }
}
