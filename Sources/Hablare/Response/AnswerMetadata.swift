import Foundation

/// The names of the common entries of ``AIResponseData/metadata``.
///
/// A provider sets the entries that it knows, and omits the other entries. It may also add entries with names of its
/// own.
public enum AnswerMetadata {
    /// The service's id of the call. The service's support may ask for it.
    public static let requestID = "request_id"
    /// The model that answered, as the service names it. This name is often more exact than the name in the request.
    public static let model = "model"
    /// The reason why the answer ends. The service's own term is stored if it is not one of the constants of
    /// ``FinishReason``. Common values: `stop` if the answer is complete, `length` if it was cut off, `tool_calls`,
    /// `refusal`.
    public static let finishReason = "finish_reason"
    /// The tool calls that the model requests, as JSON. Read them with ``AIResponseData/toolCalls``.
    public static let toolCalls = "tool_calls"
    /// The model's reasoning before its answer, as JSON in the service's own form. Send it back to the service
    /// unchanged.
    public static let thinking = "thinking"
    /// The prompt as the service changed it before it produced the image.
    public static let revisedPrompt = "revised_prompt"
    /// The voice that spoke.
    public static let voice = "voice"
    /// The times at which each word of the speech begins and ends, as JSON.
    public static let wordTimes = "word_times"
    /// The times at which each sentence of the speech begins and ends, as JSON.
    public static let sentenceTimes = "sentence_times"
    /// The times at which each segment of transcribed speech begins and ends, as JSON.
    public static let segmentTimes = "segment_times"
    /// The language of transcribed speech, as the service names it, such as `en`, `eng` or `english`.
    public static let language = "language"
    /// The length of transcribed audio in seconds.
    public static let audioSeconds = "audio_seconds"
    /// The number of samples per second, for audio whose bytes have no header.
    public static let sampleRate = "sample_rate"
    /// The number of input tokens read from the service's cache.
    public static let cachedInputTokens = "cached_input_tokens"
    /// The number of input tokens written to the service's cache.
    public static let cacheWriteTokens = "cache_write_tokens"
    /// The number of output tokens that the model used for its reasoning, which is not shown.
    public static let reasoningTokens = "reasoning_tokens"
}

extension AnswerMetadata {
    /// Returns a list as JSON text for a metadata entry, with sorted keys. Returns `nil` if the list is empty.
    static func text(of list: [some Encodable]) throws(AIServiceError) -> String? {
        guard !list.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(list), as: UTF8.self)
        } catch {
            throw AIServiceError(.invalidResponse, "The answer has a number that is not finite. Request a new answer.")
        }
    }
}

extension AIResponseData {
    /// Returns the list that a metadata entry contains. Returns an empty list if there is no such entry.
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

/// The reason why a model's answer ends. Providers may use their own terms.
public struct FinishReason: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    /// The reason as text, as it appears under ``AnswerMetadata/finishReason``.
    public let rawValue: String
    /// Creates a reason from its text.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The reason as text.
    public var description: String { rawValue }

    /// The answer is complete.
    public static let stop = Self(rawValue: "stop")
    /// The answer was cut off at its maximum length.
    public static let length = Self(rawValue: "length")
    /// The model requests tool calls.
    public static let toolCalls = Self(rawValue: "tool_calls")
    /// The model refuses to answer.
    public static let refusal = Self(rawValue: "refusal")
    /// The service withholds the answer or a part of it.
    public static let contentFilter = Self(rawValue: "content_filter")
}

extension AIResponseData {
    /// The reason why the answer ends, or `nil` if the provider does not report it.
    public var finishReason: FinishReason? { metadata[AnswerMetadata.finishReason].map(FinishReason.init(rawValue:)) }
}
