import Foundation

/// JSON as the command prints it: sorted keys, indented, ISO 8601 dates, slashes as they are.
enum JSONText {
    /// The text of a value.
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
