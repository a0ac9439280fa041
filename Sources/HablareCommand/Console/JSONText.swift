import Foundation

/// JSON as the command prints it: sorted keys, indented, ISO 8601 dates, slashes as they are.
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

/// An object of JSON. A field without a value is `null`.
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
