import Foundation
import HablareJSON

/// JSON as the command prints it: sorted keys, indented, ISO 8601 dates, unescaped slashes.
enum JSONText {
    static func of(_ value: some Encodable, indented: Bool = true) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting =
            indented ? [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes] : [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(TimeText.stamp(date))
        }
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

/// A JSON object. A field without a value is `null`.
struct JSONObject: Encodable, Sendable, ExpressibleByDictionaryLiteral {
    typealias Value = (any Encodable & Sendable)?

    private var fields: [String: Value]

    init(dictionaryLiteral elements: (String, Value)...) {
        fields = Dictionary(elements) { $1 }
    }

    mutating func set(_ name: String, _ value: Value) { fields.updateValue(value, forKey: name) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyKey.self)
        for (name, value) in fields {
            if let value {
                try container.encode(value, forKey: AnyKey(stringValue: name))
            } else {
                try container.encodeNil(forKey: AnyKey(stringValue: name))
            }
        }
    }
}

protocol JSONPrintable: Encodable {
    var json: JSONObject { get }
}

extension JSONPrintable {
    func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}

struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
}

/// The place where a text stops being JSON, and the reason. This type is used because decoders report no place, or
/// quote the text, which may contain a secret.
struct JSONFault: Sendable, Hashable {
    let sentence: String

    /// Finds the fault of a text. Returns `nil` if the text is JSON.
    ///
    /// - Parameter takesLast: Whether an object may have the same name twice. Default: `false`.
    init?(in data: Data, takesLast: Bool = false) {
        guard String(validating: data, as: UTF8.self) != nil else {
            let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let line = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
            sentence = "It is not valid JSON: line \(line + 1) is not UTF-8. Save the file as UTF-8."
            return
        }
        let (offset, reason): (Int, String)
        do throws(JSONReader.Problem) {
            _ = try JSONReader.value(of: data, takesLast: takesLast)
            return nil
        } catch {
            (offset, reason) =
                switch error {
                case .cut: (data.count, "the text ends too early. A quotation mark, ] or } is missing.")
                case .unexpected(let offset):
                    (
                        offset,
                        "this character is not allowed there. Look for a comma, colon, quotation mark or bracket that is missing or one too many."
                    )
                case .nameTwice(let offset): (offset, "the object has this name twice. Remove one of them.")
                }
        }
        let before = data.prefix(offset)
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? before.startIndex
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let column = String(decoding: before[start...], as: UTF8.self).count + 1
        sentence = "It is not valid JSON at line \(line), column \(column): \(reason)"
    }
}
