public import Foundation
import Hablare

/// The conversion between values and the bytes in a ``BlobCache``. The loader calls it in its own tasks.
public struct BlobCoding<Value: Sendable>: Sendable {
    /// A closure that converts a value to bytes. If it throws an error, the value is not stored.
    public var encode: @Sendable (Value) throws -> Data
    /// A closure that converts bytes to a value. If it throws an error, the loader loads the value again and replaces
    /// the bytes. It must throw an error for bytes that another coding wrote, for example that of an older version of
    /// the app.
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
    /// A coding for values that are bytes already.
    public static let data = BlobCoding(encode: { $0 }, decode: { $0 })
}

extension BlobCoding where Value == String {
    /// A coding of text as UTF-8. It refuses bytes that are not valid UTF-8.
    public static let text = BlobCoding(
        encode: { Data($0.utf8) },
        decode: { data in
            guard let text = String(validating: data, as: UTF8.self) else {
                throw AIServiceError(.invalidResponse, "The stored value is not UTF-8 text. Load the value again.")
            }
            return text
        })
}

extension BlobCoding where Value: Codable {
    /// A coding of values as JSON.
    public static var json: BlobCoding {
        BlobCoding(
            encode: { try JSONEncoder().encode($0) }, decode: { try JSONDecoder().decode(Value.self, from: $0) })
    }
}
