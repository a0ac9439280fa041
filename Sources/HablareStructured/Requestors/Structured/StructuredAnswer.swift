import Foundation
import Hablare
import HablareJSON

/// The JSON in a model's answer. Other words may surround the JSON.
///
/// JSON is searched for in these places, in this order:
/// 1. The whole text, if it is JSON.
/// 2. Fenced blocks. A block is the text between a line that begins with three backticks and the next such line, or the
///    end.
/// 3. Objects and lists anywhere in the text.
///
/// The first of these places that contains any JSON is used. If it contains several values, the answer is the last
/// value that satisfies the schema, because models often write their thoughts first. Text inside the brackets of
/// invalid JSON is not searched, because it may be only a part of the answer.
struct StructuredAnswer: Sendable, Equatable {
    /// A value, and the text from which it was parsed.
    struct Candidate: Sendable, Equatable {
        let value: ParameterValue
        let json: Data
    }

    /// The maximum number of values from one text. If there are more, only the last values are used.
    static let mostCandidates = 16

    /// The values, in the order of the text.
    private(set) var candidates: [Candidate] = []
    /// Whether the text ends inside a value and has no complete value.
    private(set) var isCut = false
    /// Whether the text has no value, but contains an object whose only fault is a duplicate name.
    private(set) var hasNameTwice = false

    /// Creates the answer for a value that the provider has parsed.
    init(_ value: ParameterValue) throws(AIServiceError) {
        candidates = [Candidate(value: value, json: try value.jsonData())]
    }

    /// Searches a text for JSON.
    init(in text: String) {
        let bytes = Array(text.utf8)
        if let whole = Self.only(Data(bytes)) {
            candidates = [whole]
            return
        }
        lookIntoFences(in: bytes)
        if candidates.isEmpty { lookAnywhere(in: bytes) }
    }

    /// Adds a candidate. Keeps only the last ``mostCandidates``, because a text may consist of many values.
    private mutating func note(_ candidate: Candidate) {
        if candidates.count == Self.mostCandidates { candidates.removeFirst() }
        candidates.append(candidate)
    }

    private static func only(_ json: Data) -> Candidate? {
        do throws(JSONReader.Problem) {
            return Candidate(value: try JSONReader.value(of: json), json: json)
        } catch {
            return nil  // the whole text is not JSON
        }
    }

    private mutating func lookIntoFences(in bytes: [UInt8]) {
        var start: Int?
        var line = 0
        while line < bytes.count {
            let end = bytes[line...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            if bytes[line..<end].drop(while: { $0 == 0x20 || $0 == 0x09 }).starts(with: "```".utf8) {
                if let inside = start {
                    noteOnly(bytes[inside..<line])
                    start = nil
                } else {
                    start = min(end + 1, bytes.count)
                }
            }
            line = end + 1
        }
        if let inside = start { noteOnly(bytes[inside...]) }
    }

    private mutating func noteOnly(_ block: ArraySlice<UInt8>) {
        if let candidate = Self.only(Data(block)) { note(candidate) }
    }

    /// Continues after the part that was read, even if that part was not a value. So a part of a broken value is never
    /// used as a value.
    private mutating func lookAnywhere(in bytes: [UInt8]) {
        var offset = 0
        while let start = bytes[offset...].firstIndex(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }) {
            var reader = JSONReader(bytes, at: start)
            do throws(JSONReader.Problem) {
                let value = try reader.value()
                note(Candidate(value: value, json: Data(bytes[start..<reader.offset])))
                offset = reader.offset
            } catch {
                isCut = error == .cut && candidates.isEmpty
                if case .nameTwice = error { hasNameTwice = candidates.isEmpty }
                guard let end = Self.end(ofBracketsAt: start, in: bytes) else { return }
                offset = end
            }
        }
    }

    /// Returns the offset after the bracket that closes the bracket at `start`; `nil` if there is none. Ignores
    /// brackets inside quotation marks.
    private static func end(ofBracketsAt start: Int, in bytes: [UInt8]) -> Int? {
        var depth = 0
        var isQuoted = false
        var offset = start
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\\") where isQuoted: offset += 1
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "{") where !isQuoted, UInt8(ascii: "[") where !isQuoted: depth += 1
            case UInt8(ascii: "}") where !isQuoted, UInt8(ascii: "]") where !isQuoted:
                depth -= 1
                if depth == 0 { return offset + 1 }
            default: break
            }
            offset += 1
        }
        return nil
    }
}
