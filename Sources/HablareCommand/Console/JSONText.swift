import Foundation

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

/// The place and reason at which a text stops being JSON. The decoders report only that it is invalid. Pure.
struct JSONFault: Sendable, Hashable {
    let sentence: String

    init?(in data: Data) {
        let words: String
        do {
            _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
            return nil
        } catch {
            words = (error as NSError).userInfo["NSDebugDescription"] as? String ?? error.localizedDescription
        }
        // Foundation counts bytes on some platforms, and lines and columns on others.
        let place = /(.+) around (?:line ([0-9]+), column ([0-9]+)|character ([0-9]+))\.?/
        guard let match = words.wholeMatch(of: place) else {
            sentence = "It is not JSON: \(words)"
            return
        }
        var (line, column) = (match.2.map(String.init) ?? "", match.3.map(String.init) ?? "")
        if let offset = match.4.flatMap({ Int($0) }) {
            let before = data.prefix(offset)
            let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? before.startIndex
            line = "\(before.count { $0 == UInt8(ascii: "\n") } + 1)"
            column = "\(String(decoding: before[start...], as: UTF8.self).count + 1)"
        }
        sentence = "It is not JSON from line \(line), column \(column) on: \(match.1)."
    }
}
