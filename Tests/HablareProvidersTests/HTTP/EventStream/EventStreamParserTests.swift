import Foundation
import Testing

@testable import HablareProviders

@Suite struct EventStreamParserTests {
    @Test("A stream is parsed as the standard defines", arguments: EventStreamCase.all)
    func standard(stream: EventStreamCase) {
        let outcome = StreamOutcome(of: [stream.stream])
        #expect(outcome.events == stream.events)
        #expect(outcome.isMidEvent == stream.isMidEvent)
        #expect(outcome.fault == nil)
    }

    @Test("The model of the other suites parses as the standard defines", arguments: EventStreamCase.all)
    func model(stream: EventStreamCase) {
        let outcome = EventStreamModel().outcome(of: stream.stream)
        #expect(outcome.events == stream.events)
        #expect(outcome.isMidEvent == stream.isMidEvent)
    }

    @Test(
        arguments: [
            ("retry: 3000\n", Duration.milliseconds(3000)), ("retry:0\n", .zero), ("retry: 007\n", .milliseconds(7)),
            ("retry: 1\nretry: 2\n", .milliseconds(2)), ("retry: 5\nretry: x\n", .milliseconds(5)), ("retry: 5", nil),
            ("retry: -5\n", nil), ("retry: +5\n", nil), ("retry: 5 \n", nil), ("retry: 5.0\n", nil),
            ("retry: 5s\n", nil),
            ("retry:  5\n", nil), ("retry\n", nil), ("retry:\n", nil), ("retry: ٣\n", nil),
            ("retry: 9223372036854775807\n", .milliseconds(Int64.max)), ("retry: 9223372036854775808\n", nil),
        ] as [(String, Duration?)])
    func `Only digits set the time to wait before coming back`(stream: String, retry: Duration?) {
        #expect(StreamOutcome(of: stream).retry == retry)
    }

    @Test func `An id counts for those who come back only when an empty line has confirmed it`() {
        #expect(StreamOutcome(of: "id: 7\ndata: a\n").lastEventID.isEmpty)
        #expect(StreamOutcome(of: "id: 7\ndata: a\n\n").lastEventID == "7")
        #expect(StreamOutcome(of: "id: 7\n\nid: 8\n").lastEventID == "7")
        #expect(StreamOutcome(of: "id: 7\n\nid\n\n").lastEventID.isEmpty)
    }

    @Test func `An event is there as soon as its empty line is, without what may follow a return`() throws {
        var parser = EventStreamParser()
        var events: [ServerSentEvent] = []
        try parser.parse(Data("data: a\r\n\r".utf8), into: &events)
        #expect(events.count == 1)
        #expect(!parser.isMidEvent)
        try parser.parse(Data(), into: &events)
        try parser.parse(Data("\ndata: b\n\n".utf8), into: &events)
        #expect(events.map(\.data) == [Data("a".utf8), Data("b".utf8)])
    }

    @Test func `Pieces may be parts of other data`() throws {
        var parser = EventStreamParser()
        var events: [ServerSentEvent] = []
        let whole = Data("xxxxdata: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n\nxxxx".utf8)
        try parser.parse(whole.dropFirst(4).dropLast(4), into: &events)
        #expect(events.map(\.data) == [Data("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa".utf8)])
        #expect(events.first?.data.startIndex == 0)
    }
}
