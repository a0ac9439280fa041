import Foundation

/// Where a text stops being JSON, and why: the parsers say only that it is none. Pure.
struct JSONFault: Sendable, Hashable {
    /// The line and the column of the first character that does not belong there, both from 1.
    let line: Int
    let column: Int
    let problem: String

    /// Finds it; `nil` in a text that is JSON.
    init?(in data: Data) {
        var scan = Scan(bytes: Array(data))
        do throws(Stop) {
            guard String(validating: data, as: UTF8.self) != nil else { throw scan.badEncoding() }
            try scan.text()
            return nil
        } catch {
            let before = scan.bytes.prefix(error.offset)
            let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            line = before.count { $0 == UInt8(ascii: "\n") } + 1
            column = String(decoding: before[start...], as: UTF8.self).count + 1
            problem = error.problem
        }
    }

    var sentence: String { "It is not JSON from line \(line), column \(column) on: \(problem)" }

    private struct Stop: Error {
        let offset: Int
        let problem: String
    }

    /// Reads a text as RFC 8259 has it.
    private struct Scan {
        static let maximumDepth = 512

        let bytes: [UInt8]
        var place = 0

        init(bytes: [UInt8]) {
            self.bytes = bytes
        }

        var next: UInt8? { place < bytes.count ? bytes[place] : nil }

        func stop(_ problem: String) -> Stop {
            Stop(offset: place, problem: next == nil ? "the file ends there, and \(problem)" : problem)
        }

        mutating func badEncoding() -> Stop {
            let text = String(decoding: bytes, as: UTF8.self)
            // What was repaired is what differs first.
            place = zip(text.utf8, bytes).prefix { $0 == $1 }.count
            return stop("that is not UTF-8.")
        }

        mutating func skipBlanks() {
            while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { place += 1 }
        }

        mutating func text() throws(Stop) {
            try value(depth: 0)
            guard next == nil else { throw stop("there is something behind the end.") }
        }

        /// A value and the blanks around it.
        mutating func value(depth: Int) throws(Stop) {
            guard depth < Self.maximumDepth else { throw stop("it is nested too deeply.") }
            skipBlanks()
            switch next {
            case UInt8(ascii: "{"):
                try list(until: UInt8(ascii: "}")) { (scan) throws(Stop) in
                    guard scan.next == UInt8(ascii: "\"") else {
                        throw scan.stop("a key in double quotes is missing.")
                    }
                    try scan.string()
                    scan.skipBlanks()
                    guard scan.next == UInt8(ascii: ":") else { throw scan.stop("a colon is missing after the key.") }
                    scan.place += 1
                    try scan.value(depth: depth + 1)
                }
            case UInt8(ascii: "["):
                try list(until: UInt8(ascii: "]")) { (scan) throws(Stop) in try scan.value(depth: depth + 1) }
            case UInt8(ascii: "\""): try string()
            default: try word()
            }
            skipBlanks()
        }

        private mutating func list(
            until end: UInt8, _ element: (inout Scan) throws(Stop) -> Void
        ) throws(Stop) {
            place += 1
            skipBlanks()
            if next == end { return place += 1 }
            while true {
                skipBlanks()
                try element(&self)
                skipBlanks()
                guard next != end else { return place += 1 }
                guard next == UInt8(ascii: ",") else {
                    throw stop("a comma or \(Character(UnicodeScalar(end))) is missing.")
                }
                place += 1
            }
        }

        private mutating func string() throws(Stop) {
            let start = place
            place += 1
            while let byte = next, byte != UInt8(ascii: "\"") {
                guard byte >= 0x20 else { throw stop("a line end, or another control character, is in a text.") }
                place += byte == UInt8(ascii: "\\") ? 2 : 1
            }
            guard next != nil else {
                place = start
                throw stop("a text begins there and has no end.")
            }
            place += 1
        }

        private mutating func word() throws(Stop) {
            let rest = bytes[place...]
            let word = rest.prefix { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                    || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "+-.".utf8.contains(byte)
            }
            let text = String(decoding: word, as: UTF8.self)
            let isNumber = text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/) != nil
            guard isNumber || ["true", "false", "null"].contains(text) else { throw stop("a value is missing.") }
            place += word.count
        }
    }
}
