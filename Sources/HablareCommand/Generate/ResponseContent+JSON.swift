import Hablare

extension ResponseContent {
    /// A vector or a value tree as it is printed: JSON, and the end of the line; `nil` for what has bytes of its own.
    var json: String? {
        get throws {
            switch self {
            case .embedding(let vector): try JSONText.of(vector) + "\n"
            case .structured(let value): try JSONText.of(value) + "\n"
            case .text, .data, .audio, .image: nil
            }
        }
    }

    /// The same with bytes in any case: what has none of its own as JSON.
    var printable: ResponseContent {
        get throws { try json.map { .text(Body($0)) } ?? self }
    }
}
