import Foundation
import Hablare
import HablareJSON
public import HablareStructured

extension ContentRule {
    /// Requires a text whose length is in a range. The length is in characters as a reader counts them. Other kinds of
    /// content are rejected.
    public static func length(_ range: some RangeExpression<Int> & Sendable) -> ContentRule {
        ContentRule("a text with a length of \(Self.words(range)) characters") { content in
            guard let text = try Self.text(of: content) else { return false }
            return range.contains(text.count)
        }
    }

    /// Requires text, data, audio or an image whose size in bytes is in a range. Reads no file.
    public static func byteCount(_ range: some RangeExpression<Int> & Sendable) -> ContentRule {
        ContentRule("\(Self.words(range)) bytes") { content in
            guard let body = content.body else { return false }
            return range.contains(body.byteCount)
        }
    }

    /// Requires a number in a range. The content must be a structured answer that is a JSON number, or a text that
    /// consists of a number.
    public static func value(_ range: some RangeExpression<Double> & Sendable) -> ContentRule {
        ContentRule("a number in \(Self.words(range))") { content in
            guard let number = try Self.number(of: content) else { return false }
            return range.contains(number)
        }
    }

    /// Requires a text that matches a pattern. The match may be anywhere in the text, unless the pattern has `^` and
    /// `$`.
    ///
    /// The syntax of the pattern is ECMA-262, as in `JSONSchema`. The time of a match is proportional to the length of
    /// the text, whatever the pattern is. If the pattern is invalid, each merge fails with
    /// ``MergeError/Code/invalidRule``.
    public static func pattern(_ pattern: String) -> ContentRule {
        schema(["type": "string", "pattern": .string(pattern)], named: "pattern", "a text that matches /\(pattern)/")
    }

    /// Requires that the text equals one of the given texts. They are compared by Unicode scalars.
    public static func oneOf(_ texts: [String]) -> ContentRule {
        let shown = texts.prefix(20).map { "\"\($0)\"" }.joined(separator: ", ") + (texts.count > 20 ? ", …" : "")
        return ContentRule("one of \(shown)") { content in
            guard let text = try Self.text(of: content) else { return false }
            return texts.contains { $0.unicodeScalars.elementsEqual(text.unicodeScalars) }
        }
    }

    /// A format of texts.
    public struct Format: Sendable, Hashable {
        fileprivate let name: String
        fileprivate let shown: String

        /// An e-mail address.
        public static let email = Format(name: "email", shown: "an e-mail address")
        /// A URL with a scheme, such as `https://example.org/`.
        public static let url = Format(name: "uri", shown: "an address with a scheme, such as https://example.org/")
        /// A UUID.
        public static let uuid = Format(name: "uuid", shown: "a UUID")
        /// A date and time as in RFC 3339.
        public static let dateTime = Format(name: "date-time", shown: "a date and time such as 2026-01-31T12:00:00Z")
        /// A date as in RFC 3339.
        public static let date = Format(name: "date", shown: "a date such as 2026-01-31")
    }

    /// Requires a text that consists of one value in a format.
    public static func format(_ format: Format) -> ContentRule {
        schema(["type": "string", "format": .string(format.name)], named: "format", format.shown)
    }

    /// Requires a structured answer, or JSON text or data, that conforms to a schema.
    public static func schema(_ schema: JSONSchema) -> ContentRule {
        ContentRule("JSON that satisfies its schema") { content in
            guard let value = try Self.tree(of: content) else {
                throw MergeError(
                    .rejected,
                    "The answer must be JSON that satisfies its schema, but it is not JSON. The answer is kept.")
            }
            guard let violation = schema.validate(value).first else { return true }
            throw MergeError(.rejected, "The answer does not satisfy its schema: \(violation). The answer is kept.")
        }
    }

    /// Returns a rule for texts that a schema checks.
    private static func schema(_ source: ParameterValue, named name: String, _ wanted: String) -> ContentRule {
        let schema = Result { () throws(JSONSchema.Fault) in try JSONSchema(source) }
        return ContentRule(wanted) { content in
            guard let text = try text(of: content) else { return false }
            switch schema {
            case .success(let schema): return schema.validate(.string(text)).isEmpty
            case .failure(let fault): throw invalid(name, fault.description)
            }
        }
    }
}

extension ContentRule {
    /// Returns a content's text; `nil` if the content has none.
    private static func text(of content: ResponseContent) throws -> String? {
        switch content {
        case .text(let body): String(validating: try body.read(), as: UTF8.self)
        case .structured(.string(let text)): text
        case .structured, .data, .audio, .image, .embedding: nil
        }
    }

    private static func number(of content: ResponseContent) throws -> Double? {
        let number: Double? =
            switch content {
            case .structured(.int(let value)): Double(value)
            case .structured(.double(let value)): value
            default: try text(of: content).flatMap { Double($0.trimmed) }
            }
        return number.flatMap { $0.isFinite ? $0 : nil }
    }

    private static func tree(of content: ResponseContent) throws -> ParameterValue? {
        switch content {
        case .structured(let value): value
        case .text(let body), .data(let body): ParameterValue(json: try body.read())
        case .audio, .image, .embedding: nil
        }
    }

    /// Returns a description of a range for messages.
    private static func words<Bound>(_ range: some RangeExpression<Bound>) -> String {
        switch range {
        case let range as ClosedRange<Bound>: "\(range.lowerBound) to \(range.upperBound)"
        case let range as PartialRangeFrom<Bound>: "at least \(range.lowerBound)"
        case let range as PartialRangeThrough<Bound>: "at most \(range.upperBound)"
        case let range as PartialRangeUpTo<Bound>: "less than \(range.upperBound)"
        case let range as Range<Bound>: "\(range.lowerBound) to less than \(range.upperBound)"
        default: "\(range)"
        }
    }
}
