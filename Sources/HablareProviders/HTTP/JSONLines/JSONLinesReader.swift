public import Foundation

/// The reason why lines of JSON cannot be read.
public enum JSONLinesFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A line exceeds the limit. The value is the limit in bytes.
    case lineTooLong(limit: Int)

    /// A description of the problem.
    public var description: String {
        switch self {
        case .lineTooLong(let limit): "a line has more than \(limit) bytes"
        }
    }
}

/// A reader of JSON lines (`application/x-ndjson`, JSON Lines). It accepts pieces of any size. It performs no input or
/// output.
///
/// It does not matter where the stream is split into pieces: the lines and the faults are the same. A line ends with a
/// line feed. A carriage return directly before the line feed is part of the line end. Any other carriage return is
/// part of the line. Blank lines are skipped. The reader does not check whether a line is JSON.
///
/// ```swift
/// var reader = JSONLinesReader(maximumLineBytes: 1 << 20)
/// var lines: [Data] = []
/// try reader.read(piece, into: &lines)
/// ```
public struct JSONLinesReader: Sendable {
    /// The default maximum size of a line: 16 MiB.
    public static let defaultMaximumLineBytes = 16 << 20

    /// The beginning of a line whose end has not arrived. It may include a carriage return that is part of the line
    /// end.
    private var line = Data()
    private var fault: JSONLinesFault?
    private let maximumLineBytes: Int

    /// Creates a reader.
    ///
    /// - Parameter maximumLineBytes: The maximum number of bytes in a line, without the line end. Default: 16 MiB.
    public init(maximumLineBytes: Int = Self.defaultMaximumLineBytes) {
        self.maximumLineBytes = max(0, maximumLineBytes)
    }

    /// Reads the next piece. Appends the lines that the piece completes, without their line ends.
    ///
    /// - Parameters:
    ///   - piece: Any number of bytes, including none.
    ///   - lines: The array to which the lines are appended, including the lines before a fault.
    /// - Throws: ``JSONLinesFault`` for a line that is too long. Every later call throws the same fault.
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

    /// Returns the last line if no line feed ended it; `nil` if there is no such line.
    ///
    /// After the call, the reader is in its initial state.
    ///
    /// - Throws: ``JSONLinesFault`` if an earlier call of ``read(_:into:)`` threw it.
    public mutating func finish() throws(JSONLinesFault) -> Data? {
        if let fault { throw fault }
        var lines: [Data] = []
        // An added line feed completes the remaining line.
        try read(Data([LineEnds.lineFeed]), into: &lines)
        return lines.first
    }

    private mutating func read(_ bytes: UnsafeRawBufferPointer, into lines: inout [Data]) throws(JSONLinesFault) {
        var start = 0
        while start < bytes.count {
            let end = bytes.offset(of: LineEnds.lineFeed, from: start)
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

    /// Keeps a part of a line. The line's end is in another piece.
    private mutating func keep(_ part: UnsafeRawBufferPointer) throws(JSONLinesFault) {
        guard let first = part.baseAddress, !part.isEmpty else { return }
        // One more byte is allowed if it is a carriage return, which may belong to the line's end.
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

    /// Whether a line has only white space, as JSON defines it.
    private static func isBlank(_ line: UnsafeRawBufferPointer) -> Bool {
        line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == LineEnds.carriageReturn }
    }
}
