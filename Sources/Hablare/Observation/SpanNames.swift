/// The names and values of span attributes.
enum SpanNames {
    static let operation = "gen_ai.operation.name"
    static let provider = "gen_ai.provider.name"
    static let model = "gen_ai.request.model"
    static let outputType = "gen_ai.output.type"
    static let inputTokens = "gen_ai.usage.input_tokens"
    static let outputTokens = "gen_ai.usage.output_tokens"
    static let error = "error.type"
    static let batchCount = "messaging.batch.message_count"
    static let request = "hablare.request.id"
    static let flight = "hablare.flight.id"
    static let joined = "hablare.submission.joined"
    static let present = "hablare.submission.present"
    static let answered = "hablare.submission.answered"
    static let attempt = "hablare.attempt.number"
    static let outcome = "hablare.attempt.outcome"
    static let wasSent = "hablare.attempt.sent"
    static let billing = "hablare.attempt.billing"
    static let cost = "hablare.cost.micro_dollars"

    /// The value that OpenTelemetry's conventions define for an error that has no short, known name.
    static let otherError = "_OTHER"

    static func operation(of prompt: Prompt, for type: ContentType) -> String {
        switch (type, prompt) {
        case (.embedding, _): "embeddings"
        case (.text, .messages), (.structured, .messages): "chat"
        case (.text, .text), (.structured, .text): "text_completion"
        case (.audio, _), (.image, _), (.data, _): "generate_content"
        }
    }

    static func outputType(of type: ContentType) -> String? {
        switch type {
        case .text: "text"
        case .structured: "json"
        case .image: "image"
        case .audio: "speech"
        case .data, .embedding: nil
        }
    }

    /// Returns an error code as the value of an attribute, or `nil` if its text does not look like a code.
    static func errorType(_ code: AIServiceError.Code) -> String? {
        let text = code.rawValue
        let isName = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
            default: false
            }
        }
        return (1...48).contains(text.utf8.count) && isName ? text : nil
    }
}
