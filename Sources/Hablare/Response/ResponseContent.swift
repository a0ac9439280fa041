/// What a provider answered.
public enum ResponseContent: Sendable, Hashable, Codable {
    /// Text in UTF-8.
    case text(Body)
    /// Bytes without a closer meaning.
    case data(Body)
    /// Sound.
    case audio(Body, AudioFormat)
    /// A picture.
    case image(Body, ImageFormat)
    /// A vector.
    case embedding([Float])
    /// A value tree.
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

    /// The bytes of text, data, audio and image; `nil` for embeddings and structured values.
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

    /// The same content with its bytes held in another way. Embeddings and structured values stay as they are.
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
    /// How many bytes the content takes where it is kept: vectors 4 for each number, value trees those of their
    /// canonical encoding. Never reads a file.
    package var keptByteCount: Int64 {
        if let body { return Int64(body.byteCount) }
        switch self {
        case .embedding(let vector): return Int64(vector.count) * 4
        case .structured(let value):
            var bytes: [UInt8] = []
            do {
                try CanonicalEncoding.append(value, to: &bytes)
            } catch {
                return 0  // what cannot be encoded is not kept either
            }
            return Int64(bytes.count)
        case .text, .data, .audio, .image: return 0  // unreachable: they have a body
        }
    }
}
