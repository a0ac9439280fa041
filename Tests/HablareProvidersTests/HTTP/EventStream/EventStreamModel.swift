import Foundation

@testable import HablareProviders

/// A second implementation of WHATWG HTML, 9.2.6, for a whole stream: slow, and independent of the parser's code.
struct EventStreamModel {
    var maximumLineBytes = EventStreamParser.defaultMaximumBytes
    var maximumEventBytes = EventStreamParser.defaultMaximumBytes

    private struct State {
        var outcome = StreamOutcome()
        /// The lines of data. No line is not the same as an empty one.
        var lines: [[UInt8]] = []
        var type: [UInt8] = []
        var id: [UInt8] = []
    }

    func outcome(of stream: Data) -> StreamOutcome {
        var (lines, rest) = Self.lines(of: Array(stream))
        if lines.isEmpty { rest = Self.withoutMark(rest) } else { lines[0] = Self.withoutMark(lines[0]) }
        var state = State()
        for line in lines {
            if let fault = fault(of: line, in: state, isWhole: true) {
                state.outcome.fault = fault
                return state.outcome
            }
            process(line, &state)
        }
        // Bytes that may still become a byte order mark do not count as part of a line.
        let mayBeMark = lines.isEmpty && rest.count < 3 && [0xEF, 0xBB, 0xBF].starts(with: rest) && stream.count < 3
        if !mayBeMark, let fault = fault(of: rest, in: state, isWhole: false) {
            state.outcome.fault = fault
            return state.outcome
        }
        state.outcome.isMidEvent = !state.lines.isEmpty || !state.type.isEmpty || mayMean(rest)
        return state.outcome
    }

    private static func lines(of bytes: [UInt8]) -> (lines: [[UInt8]], rest: [UInt8]) {
        var lines: [[UInt8]] = []
        var line: [UInt8] = []
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case 13:
                lines.append(line)
                line = []
                if index + 1 < bytes.count, bytes[index + 1] == 10 { index += 1 }
            case 10:
                lines.append(line)
                line = []
            default: line.append(bytes[index])
            }
            index += 1
        }
        return (lines, line)
    }

    private static func withoutMark(_ line: [UInt8]) -> [UInt8] {
        line.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(line.dropFirst(3)) : line
    }

    /// Returns the first fault of a line. A line is too long at the byte after its limit. An event is too long at the
    /// end of a data line, or at the latest when more bytes have arrived than are kept.
    private func fault(of line: [UInt8], in state: State, isWhole: Bool) -> EventStreamFault? {
        let read = Array(line.prefix(maximumLineBytes))
        let isRead = isWhole && read.count == line.count
        if isRead || read.count >= UnfinishedLine.keptBytes, let (name, value) = Self.field(of: read), name == "data",
            Array((state.lines + [value]).joined(separator: [10])).count > maximumEventBytes
        {
            return .eventTooLong(limit: maximumEventBytes)
        }
        return read.count < line.count ? .lineTooLong(limit: maximumLineBytes) : nil
    }

    private func mayMean(_ rest: [UInt8]) -> Bool {
        guard let first = rest.first, first != UInt8(ascii: ":") else { return false }
        if rest.count < UnfinishedLine.keptBytes { return true }
        return Self.field(of: rest).map { ["data", "event", "id", "retry"].contains($0.name) } ?? false
    }

    private static func field(of line: [UInt8]) -> (name: String, value: [UInt8])? {
        let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, !name.isEmpty else { return nil }
        var value = parts.count > 1 ? Array(parts[1]) : []
        if value.first == 32 { value.removeFirst() }
        return (String(decoding: name, as: UTF8.self), value)
    }

    private func process(_ line: [UInt8], _ state: inout State) {
        if line.isEmpty {
            let id = String(decoding: state.id, as: UTF8.self)
            state.outcome.lastEventID = id
            if !state.lines.isEmpty {
                let type = state.type.isEmpty ? "message" : String(decoding: state.type, as: UTF8.self)
                let data = Data(state.lines.joined(separator: [10]))
                state.outcome.events.append(ServerSentEvent(type: type, data: data, lastEventID: id))
            }
            state.lines = []
            state.type = []
            return
        }
        guard let (name, value) = Self.field(of: line) else { return }
        switch name {
        case "data": state.lines.append(value)
        case "event": state.type = value
        case "id": if !value.contains(0) { state.id = value }
        case "retry":
            let text = String(decoding: value, as: UTF8.self)
            let isDigits = value.allSatisfy { "0123456789".utf8.contains($0) }
            if isDigits, let milliseconds = Int64(text) { state.outcome.retry = .milliseconds(milliseconds) }
        default: break
        }
    }
}
