public import Foundation
import Hablare

/// How values become bytes of a ``BlobCache``, and bytes values. Called on the loader's tasks.
public struct BlobCoding<Value: Sendable>: Sendable {
    /// Makes the bytes. Throws when the value has none; it is not stored then.
    public var encode: @Sendable (Value) throws -> Data
    /// Makes the value. Throws when the bytes are none of this coding, those of an older version of an app for instance;
    /// the value is loaded then, and stored in their place.
    public var decode: @Sendable (Data) throws -> Value

    /// Creates a coding.
    public init(
        encode: @escaping @Sendable (Value) throws -> Data, decode: @escaping @Sendable (Data) throws -> Value
    ) {
        self.encode = encode
        self.decode = decode
    }
}

extension BlobCoding where Value == Data {
    /// The bytes as they are.
    public static let data = BlobCoding(encode: { $0 }, decode: { $0 })
}

extension BlobCoding where Value == String {
    /// Text as UTF-8. Bytes that are no text are not decoded.
    public static let text = BlobCoding(
        encode: { Data($0.utf8) },
        decode: { data in
            guard let text = String(validating: data, as: UTF8.self) else {
                throw AIServiceError(.invalidResponse, "What is stored is no text. It is to be loaded anew.")
            }
            return text
        })
}

extension BlobCoding where Value: Codable {
    /// Values as JSON.
    public static var json: BlobCoding {
        BlobCoding(
            encode: { try JSONEncoder().encode($0) }, decode: { try JSONDecoder().decode(Value.self, from: $0) })
    }
}
