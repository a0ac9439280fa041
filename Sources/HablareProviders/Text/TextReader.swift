import Foundation
import Hablare

/// What one event of a language model's answer brings.
enum TextStep: Sendable, Hashable {
    /// Nothing to show.
    case nothing
    /// The next piece of the text.
    case text(String)
    /// It was the last one; with what is still missing of the text.
    case end(rest: String)
}

/// Why an answer of a language model cannot be read on.
enum TextFault: Error, Sendable, Hashable {
    /// It is not of the API; in a few words, never with any of its own.
    case malformed(String)
    /// More of it would have to be kept than is, in bytes.
    case tooLarge(limit: Int)
    /// The service says that it failed, with its error.
    case failed(ParameterValue)
    /// Somebody cancelled it at the service.
    case cancelled
}

/// What stands beside the text of an answer that is whole.
struct TextEnding: Sendable, Hashable {
    /// The answer's metadata.
    var metadata: [String: String]
    /// Whether the model wants tools called.
    var hasToolCalls: Bool

    /// The same with each text changed that is a word of the service's own, and not the model's answer.
    func mapWords(_ change: (String) -> String) -> TextEnding {
        var changed = self
        for (name, text) in metadata where !Self.answers.contains(name) { changed.metadata[name] = change(text) }
        return changed
    }

    /// What of the metadata the model has written: it stays as it is, as its text does.
    private static let answers: Set<String> = [AnswerMetadata.toolCalls, AnswerMetadata.thinking]

    /// Why the answer ends, by the names of ``/Hablare/AnswerMetadata/finishReason``.
    var finishReason: String? { metadata[AnswerMetadata.finishReason] }
}

/// Reads the events of an API for text. Pure.
protocol TextReader: Sendable {
    /// Whose API it is.
    associatedtype Service: TextService
    /// More bytes of text than this are not put together for a value tree.
    static var mostText: Int { get }
    /// Whether a part of the answer came, be it only thoughts: then it may be billed.
    var hasBegun: Bool { get }
    /// Whether nothing of the answer can be missing, though its end was not said.
    var isComplete: Bool { get }
    /// What was used, as far as it is known.
    var usage: Usage { get }
    /// What the service itself says was used by what came, with nothing still to be added; `nil` where it does not say.
    var counted: Usage? { get }
    /// Takes an event of a stream.
    mutating func read(_ event: ServerSentEvent) throws(TextFault) -> TextStep
    /// What stands beside the text, when the answer is complete.
    ///
    /// - Parameter requestID: The service's name of the call, as the answer's head has it.
    func ending(requestID: String?) throws(TextFault) -> TextEnding
}

/// Reads answers of an API that also come in one piece. Pure.
protocol WholeTextReader: TextReader {
    /// Takes an answer that comes in one piece; returns its text.
    mutating func read(whole value: ParameterValue) throws(TextFault) -> String
}

/// A service whose models write.
protocol TextService: Sendable {
    /// Calls it.
    var client: ServiceClient { get }
    /// A usage as it is recorded.
    func charged(_ usage: Usage) -> Usage
    /// What an error means that stands in an answer whose status was a success.
    ///
    /// - Parameter hasBegun: Whether a part of the answer came before: that may be billed.
    func failure(saying error: ParameterValue, in answer: ServiceAnswer, hasBegun: Bool) -> AIServiceError
}
