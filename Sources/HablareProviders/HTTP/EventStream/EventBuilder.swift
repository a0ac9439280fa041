import Foundation

/// Assembles events from the lines of an event stream.
struct EventBuilder: Sendable {
    /// The last event id before an empty line. A client can resume the stream after this id.
    private(set) var lastEventID = ""
    /// The time that a client should wait before it reconnects, if the stream states one.
    private(set) var retry: Duration?

    private var data = Data()
    private var hasData = false
    private var type = ""
    private var eventID = ""
    /// The last event type that was read. Most events of a stream have the same type, so this text is reused.
    private var knownType = ""
    private let maximumBytes: Int

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// Whether an event has begun. The next empty line completes it.
    var isMidEvent: Bool { hasData || !type.isEmpty }

    /// Adds a line that is not empty.
    @inline(__always)
    mutating func came(_ line: UnsafeRawBufferPointer) throws(EventStreamFault) {
        guard let (field, start) = EventField.read(line) else { return }
        let value = line.part(start..<line.count)
        switch field {
        case .data:
            dataBegan()
            try dataCame(value)
        case .event: type = text(ofType: value)
        case .id: if value.offset(of: 0, from: 0) == value.count { eventID = String(decoding: value, as: UTF8.self) }
        case .retry: if let time = Self.milliseconds(value) { retry = time }
        }
    }

    /// Begins a line of data. Then call `dataCame`, even if the line is empty, because `dataCame` checks the limit.
    @inline(__always)
    mutating func dataBegan() {
        if hasData { data.append(LineEnds.lineFeed) }
        hasData = true
    }

    /// Adds bytes of a data line.
    @inline(__always)
    mutating func dataCame(_ bytes: UnsafeRawBufferPointer) throws(EventStreamFault) {
        guard bytes.count <= maximumBytes - data.count else { throw .eventTooLong(limit: maximumBytes) }
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        if data.isEmpty {
            data = Data(bytes: start, count: bytes.count)
        } else {
            data.append(start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
        }
    }

    /// Completes the event at an empty line, if an event has begun.
    @inline(__always)
    mutating func ended(into events: inout [ServerSentEvent]) {
        lastEventID = eventID
        if hasData {
            events.append(
                ServerSentEvent(type: type.isEmpty ? "message" : type, data: data, lastEventID: eventID))
            data = Data()
            hasData = false
        }
        if !type.isEmpty { type = "" }
    }

    private mutating func text(ofType bytes: UnsafeRawBufferPointer) -> String {
        let isKnown = knownType.utf8.withContiguousStorageIfAvailable { known in
            known.count == bytes.count && UnsafeRawBufferPointer(known).isEqual(to: bytes)
        }
        if isKnown != true { knownType = String(decoding: bytes, as: UTF8.self) }
        return knownType
    }

    /// Returns the time of a `retry` field. Returns `nil` if the field has other characters than digits, or if its
    /// number is too large for an `Int64`.
    private static func milliseconds(_ digits: UnsafeRawBufferPointer) -> Duration? {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(String(decoding: digits, as: UTF8.self)).map { .milliseconds($0) }
    }
}
