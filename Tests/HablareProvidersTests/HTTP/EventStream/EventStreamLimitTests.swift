import Foundation
import Testing

@testable import HablareProviders

@Suite struct EventStreamLimitTests {
    private func outcomes(_ stream: String, line: Int = 1000, event: Int = 1000) -> [StreamOutcome] {
        let bytes = Data(stream.utf8)
        return [[bytes], bytes.map { Data([$0]) }].map {
            StreamOutcome(of: $0, maximumLineBytes: line, maximumEventBytes: event)
        }
    }

    @Test func `A line may have as many bytes as its limit, and not one more`() {
        for outcome in outcomes("data: 4567\n\n", line: 10) {
            #expect(outcome.events.map(\.data) == [Data("4567".utf8)])
            #expect(outcome.fault == nil)
        }
        for stream in ["data: 45678\n\n", "data: 45678", ": a comment\n", "unknown: 456\n"] {
            for outcome in outcomes(stream, line: 10) { #expect(outcome.fault == .lineTooLong(limit: 10)) }
        }
    }

    @Test func `An event's data may have as many bytes as its limit, line feeds counted, and not one more`() {
        for stream in ["data: 1234567\n\n", "data: 123\ndata: 567\n\n", "data\ndata\ndata\ndata: 4567\n\n"] {
            for outcome in outcomes(stream, event: 7) {
                #expect(outcome.events.map(\.data.count) == [7])
                #expect(outcome.fault == nil)
            }
        }
        for stream in ["data: 12345678\n", "data: 123\ndata: 5678\n", "data: 1234567\ndata\n"] {
            for outcome in outcomes(stream, event: 7) { #expect(outcome.fault == .eventTooLong(limit: 7)) }
        }
    }

    @Test func `The limit of an event counts anew for each one`() {
        for outcome in outcomes("data: 1234567\n\ndata: 1234567\n\n", event: 7) {
            #expect(outcome.events.count == 2)
            #expect(outcome.fault == nil)
        }
    }

    @Test func `Data of a line without an end is refused before it is all in memory`() throws {
        var parser = EventStreamParser(maximumLineBytes: 1 << 30, maximumEventBytes: 100_000)
        var events: [ServerSentEvent] = []
        try parser.parse(Data("data: ".utf8), into: &events)
        let piece = Data(repeating: 0x41, count: 50_000)
        try parser.parse(piece, into: &events)
        try parser.parse(piece, into: &events)
        #expect(throws: EventStreamFault.eventTooLong(limit: 100_000)) { try parser.parse(Data([0x41]), into: &events) }
    }

    @Test func `After a fault nothing more is read, and the events before it are there`() {
        var parser = EventStreamParser(maximumLineBytes: 10)
        var events: [ServerSentEvent] = []
        #expect(throws: EventStreamFault.lineTooLong(limit: 10)) {
            try parser.parse(Data("data: a\n\n: much too long\n\ndata: b\n\n".utf8), into: &events)
        }
        #expect(throws: EventStreamFault.lineTooLong(limit: 10)) {
            try parser.parse(Data("data: c\n\n".utf8), into: &events)
        }
        #expect(throws: EventStreamFault.lineTooLong(limit: 10)) { try parser.parse(Data(), into: &events) }
        #expect(events.map(\.data) == [Data("a".utf8)])
    }

    @Test func `Of a byte order mark that is none each byte counts once, of a mark none`() {
        let halfMark = Data([0xEF, 0xBB]) + Data("data\n\n".utf8)
        let mark = Data("\u{FEFF}datadata\n\n".utf8)
        for stream in [halfMark, mark] {
            for cut in 0...stream.count {
                let pieces = [stream[..<cut], stream[cut...]]
                let length = stream == mark ? 8 : 6
                #expect(StreamOutcome(of: pieces, maximumLineBytes: length).fault == nil)
                #expect(
                    StreamOutcome(of: pieces, maximumLineBytes: length - 1).fault == .lineTooLong(limit: length - 1))
            }
        }
    }

    @Test func `A limit below zero is zero`() {
        for outcome in outcomes("\n\n", line: -1, event: -1) { #expect(outcome.fault == nil) }
        for outcome in outcomes("a\n", line: -1, event: -1) { #expect(outcome.fault == .lineTooLong(limit: 0)) }
        for outcome in outcomes("data: \n\ndata:a\n", event: -1) {
            #expect(outcome.events.count == 1)
            #expect(outcome.fault == .eventTooLong(limit: 0))
        }
    }

    @Test func `Of a long comment, or of data, no more is kept for its line than is needed to tell`() throws {
        for beginning in [": ", "unknown: ", "data: "] {
            var line = UnfinishedLine()
            var event = EventBuilder(maximumBytes: 1 << 20)
            let bytes = Array((beginning + String(repeating: "x", count: 100_000)).utf8)
            try bytes.withUnsafeBytes { part in try line.came(part, for: &event) }
            #expect(line.count == bytes.count)
            #expect(line.bytes.count == UnfinishedLine.keptBytes)
            #expect(event.isMidEvent == (beginning == "data: "))
        }
    }
}
