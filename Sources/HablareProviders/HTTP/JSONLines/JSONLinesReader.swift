public import Foundation

/// Why lines of JSON cannot be read on.
public enum JSONLinesFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A line has more bytes than it may.
    case lineTooLong(limit: Int)

    /// What is wrong.
    public var description: String {
        switch self {
        case .lineTooLong(let limit): "a line has more than \(limit) bytes"
        }
    }
}

/// Reads lines of JSON (`application/x-ndjson`, JSON Lines) from pieces that end anywhere. Pure.
///
/// The lines, and a fault, are the same however they are cut. A line ends with a line feed; a carriage return before it
/// belongs to the end, and one elsewhere to the line. Lines without anything but blanks are passed over. Whether a line
/// is JSON is for whoever decodes it.
public struct JSONLinesReader: Sendable {
    /// How many bytes a line may have, where nobody says otherwise: 16 MiB.
    public static let defaultMaximumLineBytes = 16 << 20

    /// The beginning of a line whose end has not come. Counted with a carriage return, which may be the end's.
    private var line = Data()
    private var fault: JSONLinesFault?
    private let maximumLineBytes: Int

    /// Creates a reader.
    ///
    /// - Parameter maximumLineBytes: How many bytes a line may have, its end not counted. Default 16 MiB.
    public init(maximumLineBytes: Int = Self.defaultMaximumLineBytes) {
        self.maximumLineBytes = max(0, maximumLineBytes)
    }

    /// Takes the next piece, and adds the lines that it completes, without their ends.
    ///
    /// - Parameters:
    ///   - piece: Any number of bytes, none included.
    ///   - lines: What the lines are added to; those before a fault, too.
    /// - Throws: ``JSONLinesFault`` for a line that is longer than it may be, and again at every later call.
    public mutating func read(_ piece: Data, into lines: inout [Data]) throws(JSONLinesFault) {
        if let fault { throw fault }
        piece.withUnsafeBytes { bytes in
            do throws(JSONLinesFault) {
                try read(bytes, into: &lines)
            } catch {
                fault = error
            }
        }
        if let fault {
            line = Data()
            throw fault
        }
    }

    /// The end came: the last line, where no line feed is behind it. `nil` where there is none.
    ///
    /// Afterwards the reader is as new.
    ///
    /// - Throws: ``JSONLinesFault``, as ``read(_:into:)`` did before.
    public mutating func finish() throws(JSONLinesFault) -> Data? {
        if let fault { throw fault }
        var lines: [Data] = []
        // An end of no bytes: what is there is the line.
        try read(Data([LineEnds.lineFeed]), into: &lines)
        return lines.first
    }

    private mutating func read(_ bytes: UnsafeRawBufferPointer, into lines: inout [Data]) throws(JSONLinesFault) {
        var start = 0
        while start < bytes.count {
            let end = bytes.place(of: LineEnds.lineFeed, from: start)
            let part = bytes.part(start..<end)
            guard end < bytes.count else { return try keep(part) }
            if line.isEmpty {
                try add(part, to: &lines)
            } else {
                try keep(part)
                try addKept(to: &lines)
            }
            start = end + 1
        }
    }

    /// Some of a line came whose end is elsewhere.
    private mutating func keep(_ part: UnsafeRawBufferPointer) throws(JSONLinesFault) {
        guard let first = part.baseAddress, !part.isEmpty else { return }
        // One byte more may be the carriage return of its end; with another one behind it, it is not.
        let room = maximumLineBytes - line.count
        guard part.count <= room || (part.count == room + 1 && part[room] == LineEnds.carriageReturn) else {
            throw .lineTooLong(limit: maximumLineBytes)
        }
        line.append(first.assumingMemoryBound(to: UInt8.self), count: part.count)
    }

    private mutating func addKept(to lines: inout [Data]) throws(JSONLinesFault) {
        if line.last == LineEnds.carriageReturn { line.removeLast() }
        let isBlank = line.withUnsafeBytes(Self.isBlank)
        if !isBlank { lines.append(line) }
        line = Data()
    }

    private func add(_ part: UnsafeRawBufferPointer, to lines: inout [Data]) throws(JSONLinesFault) {
        var part = part
        if part.last == LineEnds.carriageReturn { part = part.part(0..<part.count - 1) }
        guard part.count <= maximumLineBytes else { throw .lineTooLong(limit: maximumLineBytes) }
        guard let first = part.baseAddress, !Self.isBlank(part) else { return }
        lines.append(Data(bytes: first, count: part.count))
    }

    /// Whether a line has nothing but what JSON takes for blanks.
    private static func isBlank(_ line: UnsafeRawBufferPointer) -> Bool {
        line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == LineEnds.carriageReturn }
    }
}
