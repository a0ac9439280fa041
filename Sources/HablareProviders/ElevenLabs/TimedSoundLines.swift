import Foundation

/// Parts a stream of JSON objects, one on each line, into its lines. Pure; pieces may end anywhere.
struct TimedSoundLines: Sendable {
    private var rest = Data()
    /// Where to look on for the end of the line.
    private var looked = 0

    /// The longest line, in bytes: 64 MiB.
    static let longest = 64 << 20

    init() {}

    /// Takes the next piece, and gives the lines that it completes; empty ones are left out.
    mutating func take(_ piece: Data) throws(TimedSound.Fault) -> [Data] {
        rest.append(piece)
        var lines: [Data] = []
        var start = rest.startIndex
        var from = rest.startIndex + looked
        while let end = rest[from...].firstIndex(of: 0x0A) {
            add(rest[start..<end], to: &lines)
            start = end + 1
            from = start
        }
        if start > rest.startIndex { rest = Data(rest[start...]) }
        looked = rest.count
        guard rest.count <= Self.longest else { throw TimedSound.Fault(what: "a line without an end") }
        return lines
    }

    /// The last line, where it has no end of its own.
    mutating func finish() -> Data? {
        var lines: [Data] = []
        add(rest[...], to: &lines)
        rest = Data()
        looked = 0
        return lines.first
    }

    private func add(_ line: Data, to lines: inout [Data]) {
        let isBlank = line.allSatisfy { $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }
        if !isBlank { lines.append(line) }
    }
}
