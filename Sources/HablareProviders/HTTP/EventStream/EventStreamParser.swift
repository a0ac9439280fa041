public import Foundation

/// Why a stream of events cannot be read on.
public enum EventStreamFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A line has more bytes than it may.
    case lineTooLong(limit: Int)
    /// An event has more bytes of data than it may.
    case eventTooLong(limit: Int)

    /// What is wrong.
    public var description: String {
        switch self {
        case .lineTooLong(let limit): "a line has more than \(limit) bytes"
        case .eventTooLong(let limit): "an event has more than \(limit) bytes"
        }
    }
}

/// Reads a stream of events (`text/event-stream`; WHATWG HTML, 9.2) from pieces that end anywhere. Pure.
///
/// The events, and a fault, are the same however the stream is cut. An event is there as soon as the empty line behind it
/// is; one that no empty line has ended when the stream ends does not count (``isMidEvent``).
///
/// Lines that lie within a piece are read where they are: nothing is allocated but an event's data, and the texts of its
/// type and id where they are new and longer than 15 bytes.
public struct EventStreamParser: Sendable {
    /// How many bytes a line may have, and an event's data, where nobody says otherwise: 16 MiB, several times the largest
    /// image that a service sends in an event.
    public static let defaultMaximumBytes = 16 << 20

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private var event: EventBuilder
    private var line = UnfinishedLine()
    /// How many bytes of a byte order mark the stream has begun with; all of them, too, when it is past its beginning.
    private var markCount = 0
    /// Whether the piece before ended with a carriage return, to which a line feed would belong.
    private var endsInReturn = false
    private var fault: EventStreamFault?
    private let maximumLineBytes: Int

    /// Creates a parser.
    ///
    /// - Parameters:
    ///   - maximumLineBytes: How many bytes a line may have, its end not counted. Default 16 MiB.
    ///   - maximumEventBytes: How many bytes an event's data may have, the line feeds between its lines counted. Default
    ///     16 MiB.
    public init(
        maximumLineBytes: Int = Self.defaultMaximumBytes, maximumEventBytes: Int = Self.defaultMaximumBytes
    ) {
        self.maximumLineBytes = max(0, maximumLineBytes)
        event = EventBuilder(maximumBytes: max(0, maximumEventBytes))
    }

    /// The last id that the stream gave, and an empty line confirmed: what to send as `Last-Event-ID` to take the stream
    /// up again. Empty where it gave none.
    public var lastEventID: String { event.lastEventID }

    /// How long the stream asks one who has lost it to wait before coming back; `nil` where it does not say.
    public var retry: Duration? { event.retry }

    /// Whether something has begun that no empty line has ended: an event, or a line that may be one's. A stream that ends
    /// here was broken off, and that event is lost. A comment, a `retry` or an `id` alone is none.
    public var isMidEvent: Bool { event.isMidEvent || line.hasMeaning || (1..<3).contains(markCount) }

    /// Takes the next piece, and adds the events that it completes.
    ///
    /// - Parameters:
    ///   - piece: Any number of bytes, none included.
    ///   - events: What the events are added to; those before a fault, too.
    /// - Throws: ``EventStreamFault`` for a line or an event that is longer than it may be, and again at every later call:
    ///   nothing can be said of what follows.
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
            // It only looked like a mark: these bytes are the beginning of the first line.
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

    /// Some of a line came whose end is elsewhere, or that is too long.
    private mutating func came(_ part: UnsafeRawBufferPointer) throws(EventStreamFault) {
        let allowed = min(part.count, maximumLineBytes - line.count)
        // As far as it may go first, so that a fault that comes earlier in the stream is the one that is told.
        try line.came(part.part(0..<allowed), for: &event)
        guard allowed == part.count else { throw .lineTooLong(limit: maximumLineBytes) }
    }
}
