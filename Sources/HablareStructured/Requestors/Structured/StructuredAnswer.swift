import Foundation
import Hablare
import HablareJSON

/// The JSON values in a model's answer. The answer may have other words before, between and after the values.
///
/// JSON is searched in these places, in this order:
/// 1. The whole text, if it is JSON.
/// 2. Fenced blocks. A fenced block begins after a line that starts with three backticks. It ends before the next such
///    line, or at the end of the text.
/// 3. Objects and lists anywhere in the text.
///
/// Only the first place that contains JSON is used. If it contains several values, the last value that satisfies the
/// schema is the answer. The reason is that models often write their thoughts first. Values within an invalid list or
/// object are not used, because they may be only a part of the answer.
struct StructuredAnswer: Sendable, Equatable {
    /// A JSON value, and the text from which it was read.
    struct Candidate: Sendable, Equatable {
        let value: ParameterValue
        let json: Data
    }

    /// The maximum number of values from one text. If the text has more values, only the last ones are kept.
    static let mostCandidates = 16

    /// The values, in the order in which the text contains them.
    private(set) var candidates: [Candidate] = []
    /// Whether the text has no complete value and ends within a value.
    private(set) var isCut = false
    /// Whether the text has no valid value, but has an object that is invalid only because it contains a name twice.
    private(set) var hasNameTwice = false

    /// Creates the answer from a value that the provider has already read.
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

    /// Adds a value. Keeps only the last ``mostCandidates`` values, because a text may consist of many values.
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

    /// Searches for objects and lists anywhere in the text. After each object or list, valid or not, the search
    /// continues behind it. A part of an invalid value is therefore never used as a value.
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

    /// Returns the offset after the bracket that closes the bracket at `start`, or `nil` if there is none. Ignores
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
