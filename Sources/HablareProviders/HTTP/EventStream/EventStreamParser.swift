public import Foundation

/// Reads a stream of events (`text/event-stream`; WHATWG HTML, 9.2) from pieces that end anywhere. Pure.
public struct EventStreamParser: Sendable {
    private var line = Data()
    private var data = Data()
    private var hasData = false
    private var type = ""
    private var lastEventID = ""
    private var endsInReturn = false
    private let maximumLineBytes: Int
    private let maximumEventBytes: Int

    /// Creates a parser.
    public init(maximumLineBytes: Int = 16 << 20, maximumEventBytes: Int = 16 << 20) {
        self.maximumLineBytes = maximumLineBytes
        self.maximumEventBytes = maximumEventBytes
    }

    /// Takes the next piece, and adds the events that it completes.
    public mutating func parse(_ piece: Data, into events: inout [ServerSentEvent]) throws(EventStreamFault) {
        for byte in piece {
            if endsInReturn, byte == 0x0A {
                endsInReturn = false
                continue
            }
            endsInReturn = byte == 0x0D
            if byte == 0x0A || byte == 0x0D {
                try end(into: &events)
                line.removeAll()
            } else {
                guard line.count < maximumLineBytes else { throw .lineTooLong(limit: maximumLineBytes) }
                line.append(byte)
            }
        }
    }

    private mutating func end(into events: inout [ServerSentEvent]) throws(EventStreamFault) {
        guard !line.isEmpty else {
            if hasData {
                events.append(
                    ServerSentEvent(type: type.isEmpty ? "message" : type, data: data, lastEventID: lastEventID))
            }
            data = Data()
            hasData = false
            type = ""
            return
        }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        let name = String(decoding: line[..<colon], as: UTF8.self)
        var value = line[colon...].dropFirst()
        if value.first == 0x20 { value = value.dropFirst() }
        switch name {
        case "data":
            if hasData { data.append(0x0A) }
            hasData = true
            data.append(value)
            guard data.count <= maximumEventBytes else { throw .eventTooLong(limit: maximumEventBytes) }
        case "event": type = String(decoding: value, as: UTF8.self)
        case "id": if !value.contains(0) { lastEventID = String(decoding: value, as: UTF8.self) }
        default: break
        }
    }
}
