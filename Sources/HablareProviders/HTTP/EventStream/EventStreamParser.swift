public import Foundation

/// The reason why a stream of events cannot be read.
public enum EventStreamFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A line exceeds the limit. The value is the limit in bytes.
    case lineTooLong(limit: Int)
    /// An event's data exceeds the limit. The value is the limit in bytes.
    case eventTooLong(limit: Int)

    /// A description of the problem.
    public var description: String {
        switch self {
        case .lineTooLong(let limit): "a line has more than \(limit) bytes"
        case .eventTooLong(let limit): "an event has more than \(limit) bytes"
        }
    }
}

/// A parser for a stream of events (`text/event-stream`; WHATWG HTML, 9.2). It accepts pieces of any size. It performs
/// no input or output.
///
/// It does not matter where the stream is split into pieces: the events and the faults are the same. An empty line
/// completes the event before it. If the stream ends before this empty line, the event is discarded (``isMidEvent``).
///
/// Lines within a piece are parsed in place. The parser allocates memory only for an event's data, and for a new type
/// or id that is longer than 15 bytes.
///
/// For example, with lower limits for a service that sends only text:
///
/// ```swift
/// var parser = EventStreamParser(maximumLineBytes: 1 << 20, maximumEventBytes: 4 << 20)
/// var events: [ServerSentEvent] = []
/// try parser.parse(piece, into: &events)
/// ```
public struct EventStreamParser: Sendable {
    /// The default maximum size of a line, and of an event's data: 16 MiB. The largest image that a service sends in an
    /// event is several times smaller.
    public static let defaultMaximumBytes = 16 << 20

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private var event: EventBuilder
    private var line = UnfinishedLine()
    /// The number of bytes of a byte order mark that were read at the stream's beginning. Later, the number is always
    /// 3.
    private var markCount = 0
    /// Whether the previous piece ended with a carriage return. If the next piece starts with a line feed, the two
    /// characters are one line end.
    private var endsInReturn = false
    private var fault: EventStreamFault?
    private let maximumLineBytes: Int

    /// Creates a parser.
    ///
    /// - Parameters:
    ///   - maximumLineBytes: The maximum number of bytes in a line, without the line end. Default: 16 MiB.
    ///   - maximumEventBytes: The maximum number of bytes in an event's data, including the line feeds between its
    ///     lines. Default: 16 MiB.
    public init(
        maximumLineBytes: Int = Self.defaultMaximumBytes, maximumEventBytes: Int = Self.defaultMaximumBytes
    ) {
        self.maximumLineBytes = max(0, maximumLineBytes)
        event = EventBuilder(maximumBytes: max(0, maximumEventBytes))
    }

    /// The last event id before an empty line; empty if there is none. To resume the stream, send this id as
    /// `Last-Event-ID`.
    public var lastEventID: String { event.lastEventID }

    /// The time that a client should wait before it reconnects; `nil` if the stream does not state this time.
    public var retry: Duration? { event.retry }

    /// Whether the end of the stream at this point would lose an event: an event has begun and is not complete, or a
    /// line that may belong to an event is not complete. A comment, a `retry` or an `id` alone does not begin an event.
    public var isMidEvent: Bool { event.isMidEvent || line.hasMeaning || (1..<3).contains(markCount) }

    /// Parses the next piece. Appends the events that the piece completes.
    ///
    /// - Parameters:
    ///   - piece: Any number of bytes, including none.
    ///   - events: The array to which the events are appended, including the events before a fault.
    /// - Throws: ``EventStreamFault`` for a line or an event that is too long. Every later call throws the same fault,
    ///   because the parser cannot interpret the remaining stream.
    public mutating func parse(_ piece: Data, into events: inout [ServerSentEvent]) throws(EventStreamFault) {
        if let fault { throw fault }
        piece.withUnsafeBytes { bytes in
            do throws(EventStreamFault) {
                try parse(bytes, into: &events)
            } catch {
                fault = error
            }
        }
        if let fault {
            line = UnfinishedLine()
            throw fault
        }
    }

    private mutating func parse(
        _ bytes: UnsafeRawBufferPointer, into events: inout [ServerSentEvent]
    ) throws(EventStreamFault) {
        guard markCount < 3 else { return try parseLines(of: bytes, into: &events) }
        var start = 0
        while start < bytes.count, markCount < 3, bytes[start] == Self.byteOrderMark[markCount] {
            start += 1
            markCount += 1
        }
        guard start < bytes.count else { return }
        if markCount < 3 {
            // It only looked like a mark: these bytes begin the first line.
            let count = markCount - start
            markCount = 3
            for byte in Self.byteOrderMark.prefix(count) {
                try withUnsafeBytes(of: byte) { part throws(EventStreamFault) in try came(part) }
            }
            start = 0
        }
        try parseLines(of: bytes.part(start..<bytes.count), into: &events)
    }

    private mutating func parseLines(
        of bytes: UnsafeRawBufferPointer, into events: inout [ServerSentEvent]
    ) throws(EventStreamFault) {
        guard !bytes.isEmpty else { return }
        var start = 0
        if endsInReturn {
            endsInReturn = false
            if bytes[0] == LineEnds.lineFeed { start = 1 }
        }
        var ends = LineEnds(of: bytes)
        while start < bytes.count {
            let end = ends.next(from: start)
            let part = bytes.part(start..<end)
            guard end < bytes.count else { return try came(part) }
            if part.isEmpty, line.isEmpty {
                event.ended(into: &events)
            } else if line.isEmpty, part.count <= maximumLineBytes {
                try event.came(part)
            } else {
                try came(part)
                try line.ended(for: &event)
            }
            start = end + 1
            if bytes[end] == LineEnds.carriageReturn {
                if start == bytes.count {
                    endsInReturn = true
                } else if bytes[start] == LineEnds.lineFeed {
                    start += 1
                }
            }
        }
    }

    /// Adds a part of a line. Used if the line is too long, or if its end is in another piece.
    private mutating func came(_ part: UnsafeRawBufferPointer) throws(EventStreamFault) {
        let allowed = min(part.count, maximumLineBytes - line.count)
        // Add the allowed part first, so that a fault earlier in the stream takes precedence.
        try line.came(part.part(0..<allowed), for: &event)
        guard allowed == part.count else { throw .lineTooLong(limit: maximumLineBytes) }
    }
}
