import Foundation
import GRDB
import Hablare
import HablareJSON

/// The content of an answer that is to be stored in a column. The content is read and checked off the main actor. It is
/// converted when the column's declared type is known.
enum ColumnValue: Sendable {
    case text(String)
    case bytes(Data)
    /// JSON text, with its parsed value.
    case json(String, ParameterValue)
    case vector([Float])

    init(_ content: ResponseContent, in context: ConversionContext) throws {
        self =
            switch content {
            case .text: .text(try String.value(of: content, in: context))
            case .data(let body), .audio(let body, _), .image(let body, _): .bytes(try body.read())
            case .embedding(let vector): .vector(vector)
            case .structured(.string(let text)): .text(text)
            case .structured(let value): .json(try value.jsonText(), value)
            }
    }

    /// Returns the value for a column with a declared type; `nil` if such a column cannot hold the value.
    ///
    /// The declared types follow SQLite's own rules (<https://sqlite.org/datatype3.html>, 3.1), with two additions:
    /// `BOOLEAN` columns hold Boolean values, and columns whose type contains `DATE` or `TIME` hold dates as text. A
    /// column without a type, or with the type `ANY`, stores each value unchanged.
    func value(for affinity: ColumnAffinity) -> DatabaseValue? {
        switch (self, affinity) {
        case (.json(_, .null), _): nil
        case (.text(let text), .text), (.text(let text), .any): text.databaseValue
        case (.text(let text), .blob): Data(text.utf8).databaseValue
        case (.text(let text), .integer): Int64(text.trimmed)?.databaseValue
        case (.text(let text), .real): Self.finite(text)?.databaseValue
        case (.text(let text), .boolean): Self.truth(text)?.databaseValue
        case (.text(let text), .date): text.databaseValue
        case (.text(let text), .numeric): Int64(text.trimmed)?.databaseValue ?? Self.finite(text)?.databaseValue
        case (.bytes(let bytes), .blob), (.bytes(let bytes), .any): bytes.databaseValue
        case (.bytes, _): nil
        case (.json(_, .int(let number)), .integer), (.json(_, .int(let number)), .numeric): number.databaseValue
        case (.json(_, .int(let number)), .real): Double(number).databaseValue
        case (.json(_, .double(let number)), .real), (.json(_, .double(let number)), .numeric): number.databaseValue
        case (.json(_, .double(let number)), .integer): Int64(exactly: number)?.databaseValue
        case (.json(_, .bool(let value)), .boolean), (.json(_, .bool(let value)), .integer): value.databaseValue
        case (.json(let text, _), .text), (.json(let text, _), .any): text.databaseValue
        case (.json(let text, _), .blob): Data(text.utf8).databaseValue
        case (.json, _): nil
        case (.vector(let vector), .blob), (.vector(let vector), .any): Self.singles(vector).databaseValue
        case (.vector(let vector), .text) where vector.allSatisfy(\.isFinite):
            "[\(vector.map { "\($0)" }.joined(separator: ","))]".databaseValue
        case (.vector, _): nil
        }
    }

    private static func finite(_ text: String) -> Double? {
        Double(text.trimmed).flatMap { $0.isFinite ? $0 : nil }
    }

    private static func truth(_ text: String) -> Bool? {
        switch text.trimmed.lowercased() {
        case "true", "yes", "1": true
        case "false", "no", "0": false
        default: nil
        }
    }

    /// Returns a vector as IEEE 754 32-bit numbers, little-endian. SQLite's vector extensions use the same format.
    static func singles(_ vector: [Float]) -> Data {
        var data = Data(capacity: vector.count * 4)
        for number in vector { withUnsafeBytes(of: number.bitPattern.littleEndian) { data.append(contentsOf: $0) } }
        return data
    }
}

/// The kind of value that a column prefers, determined by its declared type.
enum ColumnAffinity: Sendable {
    case text, blob, integer, real, numeric, boolean, date, any

    init(declared type: String) {
        let type = type.uppercased()
        self =
            if type.isEmpty || type == "ANY" {
                .any
            } else if type.contains("INT") {
                .integer
            } else if type.contains("CHAR") || type.contains("CLOB") || type.contains("TEXT") || type.contains("JSON") {
                .text
            } else if type.contains("BLOB") {
                .blob
            } else if type.contains("REAL") || type.contains("FLOA") || type.contains("DOUB") {
                .real
            } else if type.contains("BOOL") {
                .boolean
            } else if type.contains("DATE") || type.contains("TIME") {
                .date
            } else {
                .numeric
            }
    }
}
