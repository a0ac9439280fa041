package import Hablare

/// Approximate numbers of tokens, without the model's own tokenizer.
///
/// There are two numbers: an estimate and an upper bound. Both are usually too high. The estimate is close to the
/// number of tokens of English, German or Chinese text. The engine uses the estimate to pace calls. The real number
/// never exceeds the upper bound, because a token has at least one byte. Budgets use the upper bound.
package enum TokenEstimate {
    /// The usual maximum number of tokens of a picture, for most models.
    package static let tokensOfImage: Int64 = 1600
    /// The maximum number of tokens of a picture, for the model that counts most tokens (gpt-4o-mini): 2,833 tokens,
    /// and 5,667 tokens for each of 8 tiles.
    package static let mostTokensOfImage: Int64 = 48_169
    /// The maximum number of tokens of a part that do not come from its bytes. For example, a tool call has names and
    /// punctuation.
    private static let mostTokensOfPart: Int64 = 64
    /// The number of tokens of a message that do not come from its parts.
    private static let tokensOfMessage: Int64 = 8

    /// The approximate number of bytes for each token of a document or a recording. A page of a PDF has 100 KB and
    /// 2,000 tokens. A second of audio has 16 KB and 10 tokens.
    private static let bytesOfDocumentToken: Int64 = 50
    private static let bytesOfAudioToken: Int64 = 1600
    /// The estimated number of tokens of a document that is given by its address: ten pages. The size of such a
    /// document is unknown.
    private static let tokensOfLinkedDocument: Int64 = 20_000

    /// Returns an estimate of a prompt's tokens: one token for every three bytes of text, 1,600 tokens for each
    /// picture, and a rough number for documents and audio.
    package static func tokens(of prompt: Prompt) -> Int64 {
        prompt.sum { (bytes: Int64) in (bytes + 2) / 3 } + prompt.imageCount * tokensOfImage
            + prompt.parts.reduce(0) { $0 + tokens(of: $1) }
    }

    private static func tokens(of part: Prompt.Part) -> Int64 {
        switch part {
        case .document(let body, _, _): Int64(body.byteCount) / bytesOfDocumentToken
        case .audio(let body, _): Int64(body.byteCount) / bytesOfAudioToken
        case .link(_, .document): tokensOfLinkedDocument
        case .text, .image, .link, .toolCall, .toolResult: 0
        }
    }

    /// Returns whether a prompt has a part without a known upper bound of tokens: a document or audio.
    package static func isUnbounded(_ prompt: Prompt) -> Bool {
        prompt.parts.contains { part in
            switch part {
            case .document, .audio, .link(_, .document): true
            case .text, .image, .link, .toolCall, .toolResult: false
            }
        }
    }

    /// Returns an upper bound of a prompt's tokens: one token for every byte of text, 48,169 tokens for each picture,
    /// and an overhead for each part. Documents and audio have no upper bound (``isUnbounded(_:)``).
    package static func mostTokens(of prompt: Prompt) -> Int64 {
        prompt.sum { (bytes: Int64) in bytes + mostTokensOfPart } + prompt.imageCount * mostTokensOfImage
    }

    /// Returns an upper bound of the tokens that a value adds to the prompt: tools, a schema or instructions.
    package static func mostTokens(of value: ParameterValue) -> Int64 { value.weight }

    fileprivate static func overhead(ofMessages count: Int) -> Int64 { tokensOfMessage * Int64(count + 1) }
}

extension Prompt {
    fileprivate var imageCount: Int64 {
        guard case .messages(let messages) = self else { return 0 }
        return messages.flatMap(\.parts).reduce(0) { count, part in
            switch part {
            case .image, .link(_, .image): count + 1
            default: count
            }
        }
    }

    fileprivate func sum(_ tokens: (Int64) -> Int64) -> Int64 {
        switch self {
        case .text(let text): return tokens(Int64(text.utf8.count)) + TokenEstimate.overhead(ofMessages: 1)
        case .messages(let messages):
            let parts = messages.flatMap(\.parts).reduce(Int64(0)) { sum, part in
                switch part {
                case .text(let text): sum + tokens(Int64(text.utf8.count))
                case .image, .document, .audio, .link: sum
                case .toolCall(let id, let name, let arguments):
                    sum + tokens(Int64(id.utf8.count + name.utf8.count) + TokenEstimate.mostTokens(of: arguments))
                case .toolResult(let id, let content): sum + tokens(Int64(id.utf8.count + content.utf8.count))
                }
            }
            return parts + TokenEstimate.overhead(ofMessages: messages.count)
        }
    }
}

extension ParameterValue {
    /// The approximate size of the value in bytes: the bytes of its texts, and an overhead for each value. It is at
    /// least the size of the JSON.
    var weight: Int64 {
        switch self {
        case .null, .bool: 8
        case .int, .double: 32
        case .string(let text): Int64(text.utf8.count) + 8
        case .array(let values): values.reduce(8) { $0 + $1.weight }
        case .object(let members): members.reduce(8) { $0 + Int64($1.key.utf8.count) + 8 + $1.value.weight }
        }
    }
}
