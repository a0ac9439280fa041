import Foundation
public import Hablare
import HablareJSON

extension ResponseConvertible where Self: Decodable {
    /// Decodes a structured answer, or an answer of JSON text or data.
    public static func value(of content: ResponseContent, in context: ConversionContext) throws -> Self {
        try context.decode(Self.self, from: content)
    }
}

extension Array: ResponseConvertible where Element: Decodable {
    /// Returns the vector of an embedding if the type is `[Float]` or `[Double]`. Decodes any other answer as JSON.
    ///
    /// If the answer is an embedding and the type has other elements, throws a type mismatch.
    public static func value(of content: ResponseContent, in context: ConversionContext) throws -> [Element] {
        guard case .embedding(let vector) = content else { return try context.decode(Self.self, from: content) }
        if let vector = vector as? Self { return vector }
        if let vector = vector.map(Double.init) as? Self { return vector }
        throw context.mismatch(content, Self.self)
    }
}

extension Dictionary: ResponseConvertible where Key == String, Value: Decodable {
    /// Decodes a structured answer, or an answer of JSON text or data, as a dictionary.
    public static func value(of content: ResponseContent, in context: ConversionContext) throws -> [String: Value] {
        try context.decode(Self.self, from: content)
    }
}

extension ConversionContext {
    /// Decodes JSON with ISO 8601 dates and base 64 data.
    fileprivate func decode<Value: Decodable>(_ type: Value.Type, from content: ResponseContent) throws -> Value {
        let json: Data =
            switch content {
            case .structured(let value): try value.jsonData()
            case .text(let body), .data(let body): try body.read()
            case .audio, .image, .embedding: throw mismatch(content, type)
            }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            return try decoder.decode(type, from: json)
        } catch {
            throw unreadable(content, as: type, cause: location(of: error))
        }
    }

    /// Returns the nesting depth at which decoding failed, for an error message. The message does not contain keys,
    /// because the keys of dictionaries come from the answer.
    private func location(of error: any Error) -> String {
        guard let error = error as? DecodingError else { return "not JSON" }
        let (what, path): (String, [any CodingKey]) =
            switch error {
            case .keyNotFound(let key, let context): ("a member is missing", context.codingPath + [key])
            case .typeMismatch(_, let context): ("a value has another type", context.codingPath)
            case .valueNotFound(_, let context): ("a value is null", context.codingPath)
            case .dataCorrupted(let context): ("a value cannot be read", context.codingPath)
            @unknown default: ("not in the expected form", [])
            }
        return "\(what) at depth \(path.count)"
    }
}
