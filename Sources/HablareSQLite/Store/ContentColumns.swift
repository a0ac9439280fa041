import Foundation
import Hablare

/// The content of a response, as it is stored in columns. Text and other bytes are stored unchanged. A vector is stored
/// as little-endian 32-bit floats, and a JSON value in its canonical encoding. For large content, a reference is
/// stored.
struct ContentColumns {
    let inline: Data?
    let reference: ContentReference?

    /// The number of bytes of the content.
    var byteCount: Int64 { Int64(reference?.byteCount ?? inline?.count ?? 0) }

    init(_ content: ResponseContent) throws {
        switch content {
        case .text(let body), .data(let body), .audio(let body, _), .image(let body, _):
            reference = body.reference
            inline = reference == nil ? try body.read() : nil
        case .embedding(let vector):
            reference = nil
            inline = vector.reduce(into: Data(capacity: vector.count * 4)) { data, number in
                withUnsafeBytes(of: number.bitPattern.littleEndian) { data.append(contentsOf: $0) }
            }
        case .structured(let value):
            reference = nil
            inline = try Coding.tree(value)
        }
    }

    /// Creates the columns of an attempt's answer, also if the answer could not be used. Returns `nil` if the attempt
    /// has no answer.
    init?(ofAnswerIn end: AttemptEnd) throws {
        guard let data = end.answer, case .success(let content) = data.result else { return nil }
        try self.init(content)
    }

    /// Returns the content that columns contain. If the content was evicted, the result is a failure.
    static func content(
        kind: ContentType, format: String?, inline: Data?, reference: ContentReference?, reader: (any ContentReading)?
    ) throws -> Result<ResponseContent, AIServiceError> {
        let body: Body
        if let reference, let reader {
            body = Body(reference, in: reader)
        } else if let inline {
            body = Body(inline)
        } else {
            return .failure(.responseExpired)
        }
        switch kind {
        case .text: return .success(.text(body))
        case .data: return .success(.data(body))
        case .audio: return .success(.audio(body, AudioFormat(rawValue: format ?? "")))
        case .image: return .success(.image(body, ImageFormat(rawValue: format ?? "")))
        case .embedding: return .success(.embedding(vector(inline ?? Data())))
        case .structured: return .success(.structured(try CanonicalEncoding.value(of: inline ?? Data())))
        }
    }

    private static func vector(_ data: Data) -> [Float] {
        stride(from: data.startIndex, to: data.endIndex - data.count % 4, by: 4).map { start in
            let bits = data[start..<start + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            return Float(bitPattern: bits)
        }
    }
}
