import Foundation
import Hablare

/// The result of reading one event of a language model's answer.
enum TextStep: Sendable, Hashable {
    /// The event has no text.
    case nothing
    /// The next piece of the text.
    case text(String)
    /// The end of the answer, with the text that is still missing.
    case end(remainder: String)
}

/// The reason why a language model's answer cannot be read.
enum TextFault: Error, Sendable, Hashable {
    /// The answer does not follow the API. The text describes the problem and never quotes the answer.
    case malformed(String)
    /// The answer exceeds the memory limit. The value is the limit in bytes.
    case tooLarge(limit: Int)
    /// The service reports a failure. The value is the service's error.
    case failed(ParameterValue)
    /// The answer was cancelled at the service.
    case cancelled
}

/// A complete answer without its text.
struct TextEnding: Sendable, Hashable {
    /// The answer's metadata.
    var metadata: [String: String]
    /// Whether the model asks for tool calls.
    var hasToolCalls: Bool

    /// Returns a copy in which the service's own words are changed. The model's output does not change.
    func mapWords(_ change: (String) -> String) -> TextEnding {
        var changed = self
        for (name, text) in metadata where !Self.answers.contains(name) { changed.metadata[name] = change(text) }
        return changed
    }

    /// The metadata that contains the model's output. Like the model's text, it is not changed.
    private static let answers: Set<String> = [
        AnswerMetadata.toolCalls, AnswerMetadata.thinking, AnswerMetadata.commentary,
    ]

    /// The reason why the answer ended, as in ``/Hablare/AnswerMetadata/finishReason``.
    var finishReason: String? { metadata[AnswerMetadata.finishReason] }
}

/// A reader of the events of a text API.
protocol TextReader: Sendable {
    /// The service that offers the API.
    associatedtype Service: TextService
    /// The maximum size in bytes of a text that is collected for a JSON value.
    static var mostText: Int { get }
    /// Whether a part of the answer has arrived, even if it is only thinking. The service may bill that part.
    var hasBegun: Bool { get }
    /// Whether the answer is complete, even if the event that ends it did not arrive.
    var isComplete: Bool { get }
    /// The usage that is known so far.
    var usage: Usage { get }
    /// The complete usage that the service reports for the output so far; `nil` if it reports none.
    var counted: Usage? { get }
    /// Reads an event of a stream.
    mutating func read(_ event: ServerSentEvent) throws(TextFault) -> TextStep
    /// Returns everything of a complete answer except its text.
    ///
    /// - Parameter requestID: The service's request id, from the answer's head.
    func ending(requestID: String?) throws(TextFault) -> TextEnding
}

/// A reader of an API that can also send a whole answer.
protocol WholeTextReader: TextReader {
    /// Reads a whole answer and returns its text.
    mutating func read(whole value: ParameterValue) throws(TextFault) -> String
}

/// A service for text models.
protocol TextService: Sendable {
    /// The client that calls the service.
    var client: ServiceClient { get }
    /// Returns the usage to record.
    func charged(_ usage: Usage) -> Usage
    /// Returns the error for an error object in an answer. The HTTP status reported success, so the object decides.
    ///
    /// - Parameter hasBegun: Whether a part of the answer arrived before the error. The service may bill that part.
    func failure(saying error: ParameterValue, in answer: ServiceAnswer, hasBegun: Bool) -> AIServiceError
}
