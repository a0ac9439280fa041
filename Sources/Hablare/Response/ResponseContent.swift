/// The content of a provider's answer.
public enum ResponseContent: Sendable, Hashable, Codable {
    /// Text in UTF-8.
    case text(Body)
    /// Bytes of no particular kind.
    case data(Body)
    /// Audio.
    case audio(Body, AudioFormat)
    /// An image.
    case image(Body, ImageFormat)
    /// A vector of numbers.
    case embedding([Float])
    /// A JSON value.
    case structured(ParameterValue)

    /// The kind of the content.
    public var type: ContentType {
        switch self {
        case .text: .text
        case .data: .data
        case .audio: .audio
        case .image: .image
        case .embedding: .embedding
        case .structured: .structured
        }
    }

    /// The bytes of text, data, audio or an image. `nil` for embeddings and structured values.
    public var body: Body? {
        switch self {
        case .text(let body), .data(let body), .audio(let body, _), .image(let body, _): body
        case .embedding, .structured: nil
        }
    }

    package var format: String? {
        switch self {
        case .audio(_, let format): format.rawValue
        case .image(_, let format): format.rawValue
        case .text, .data, .embedding, .structured: nil
        }
    }

    /// Returns the same content with its bytes held in another body. Embeddings and structured values are unchanged.
    package func replacingBody(with body: Body) -> ResponseContent {
        switch self {
        case .text: .text(body)
        case .data: .data(body)
        case .audio(_, let format): .audio(body, format)
        case .image(_, let format): .image(body, format)
        case .embedding, .structured: self
        }
    }
}

extension ResponseContent {
    /// The number of bytes that the content takes in the store. A vector takes 4 bytes for each number. A JSON value
    /// takes the size of its canonical encoding. Never reads a file.
    package var keptByteCount: Int64 {
        if let body { return Int64(body.byteCount) }
        switch self {
        case .embedding(let vector): return Int64(vector.count) * 4
        case .structured(let value):
            var bytes: [UInt8] = []
            do {
                try CanonicalEncoding.append(value, to: &bytes)
            } catch {
                return 0  // a value that cannot be encoded is not kept either
            }
            return Int64(bytes.count)
        case .text, .data, .audio, .image: return 0  // unreachable: these have a body
        }
    }
}
