import Foundation
import HablareProviders
import Testing

/// A stream and its events by WHATWG HTML, 9.2.6.
struct EventStreamCase: Sendable, CustomTestStringConvertible {
    let name: String
    let stream: Data
    let events: [ServerSentEvent]
    var isMidEvent = false

    init(_ name: String, _ stream: String, _ events: [ServerSentEvent], isMidEvent: Bool = false) {
        self.init(name, Data(stream.utf8), events, isMidEvent: isMidEvent)
    }

    init(_ name: String, _ stream: Data, _ events: [ServerSentEvent], isMidEvent: Bool = false) {
        self.name = name
        self.stream = stream
        self.events = events
        self.isMidEvent = isMidEvent
    }

    var testDescription: String { name }

    private static func event(_ data: String, _ type: String = "message", id: String = "") -> ServerSentEvent {
        ServerSentEvent(type: type, data: Data(data.utf8), lastEventID: id)
    }

    static let all: [EventStreamCase] = [
        // The examples of the standard.
        .init("the standard's stock quotes", "data: YHOO\ndata: +2\ndata: 10\n\n", [event("YHOO\n+2\n10")]),
        .init(
            "the standard's four blocks",
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n",
            [event("first event", id: "1"), event("second event")], isMidEvent: true),
        .init("the standard's empty data", "data\n\ndata\ndata\n\ndata:", [event(""), event("\n")], isMidEvent: true),
        .init("the standard's one space", "data:test\n\ndata: test\n\n", [event("test"), event("test")]),
        // Line ends.
        .init("line feeds", "data: a\n\ndata: b\n\n", [event("a"), event("b")]),
        .init("carriage returns", "data: a\r\rdata: b\r\r", [event("a"), event("b")]),
        .init("both", "data: a\r\n\r\ndata: b\r\n\r\n", [event("a"), event("b")]),
        .init(
            "both, in events of several lines", "event: e\r\ndata: a\r\nid: 1\r\ndata: b\r\n\r\n",
            [event("a\nb", "e", id: "1")]),
        .init("returns, in events of several lines", "event: e\rdata: a\rdata: b\r\r", [event("a\nb", "e")]),
        .init(
            "mixed", "data: a\r\n\ndata: b\n\r\ndata: c\r\r\ndata: d\n\r",
            [event("a"), event("b"), event("c"), event("d")]),
        .init("a line feed and a return are two ends", "data: a\n\rdata: b\n\n", [event("a"), event("b")]),
        .init("two returns and a line feed are two ends", "data: a\r\r\ndata: b\n\n", [event("a"), event("b")]),
        .init("empty lines alone", "\n\n\r\n\r\r\n\n", []),
        .init("nothing", "", []),
        // The byte order mark.
        .init("a mark at the beginning", "\u{FEFF}data: a\n\n", [event("a")]),
        .init("a second mark is part of a name", "\u{FEFF}\u{FEFF}data: a\n\n", []),
        .init("a mark later is part of a name", "data: a\n\u{FEFF}data: b\n\n", [event("a")]),
        .init("a mark in data", "data: \u{FEFF}\n\n", [event("\u{FEFF}")]),
        .init("half a mark is part of a name", Data([0xEF, 0xBB]) + Data("data: a\n\ndata: b\n\n".utf8), [event("b")]),
        .init("a mark before an empty line", "\u{FEFF}\ndata: a\n\n", [event("a")]),
        .init("a mark alone", "\u{FEFF}", []),
        .init("half a mark alone", Data([0xEF, 0xBB]), [], isMidEvent: true),
        // Comments and fields.
        .init("comments", ":\n: data: x\n:data: y\ndata: a\n: z\n\n", [event("a")]),
        .init("a comment alone", ": keep-alive\n\n: keep-alive\n", []),
        .init("an unfinished comment", "data: a\n\n: keep", [event("a")]),
        .init("colons in a value", "data: a: b:c\n\n", [event("a: b:c")]),
        .init("no space, one, two, a tab", "data:a\ndata: b\ndata:  c\ndata:\td\n\n", [event("a\nb\n c\n\td")]),
        .init("a space before the colon is the name's", "data : a\n\n", []),
        .init(
            "names that only look alike", "dat: a\ndata2: b\nDATA: c\n data: d\neventy: e\nids: f\nretryx: g\n\n", []),
        .init("names that only look alike, alone", "dat\ndata2\neven\nevents\ni\nidx\nretr\nretrys\nx\n\n", []),
        .init("names alone", "data\nevent\nid\nretry\n\n", [event("")]),
        .init("empty values", "data:\nevent:\nid:\nretry:\n\n", [event("")]),
        .init("values of one space", "data: \nevent: \nid: \nretry: \n\n", [event("")]),
        .init(
            "short fields", "id:1\ndata:a\n\nid:22\ndata:b\n\nid: \ndata:c\n\n",
            [event("a", id: "1"), event("b", id: "22"), event("c")]),
        // Types.
        .init("a type", "event: ping\ndata: a\n\ndata: b\n\n", [event("a", "ping"), event("b")]),
        .init("the last type counts", "event: a\nevent: b\ndata\n\n", [event("", "b")]),
        .init("an empty type is none", "event: a\nevent\ndata\n\n", [event("")]),
        .init("a type without data is forgotten", "event: a\n\ndata: b\n\n", [event("b")]),
        .init("a type without an end", "event: a\n", [], isMidEvent: true),
        .init(
            "long types, in turn",
            "event: response.output_text.delta\ndata: 1\n\nevent: response.output_text.delto\ndata: 2\n\n"
                + "event: response.output_text.delta\ndata: 3\n\nevent: response.output_text.delta2\ndata: 4\n\n",
            [
                event("1", "response.output_text.delta"), event("2", "response.output_text.delto"),
                event("3", "response.output_text.delta"), event("4", "response.output_text.delta2"),
            ]),
        .init(
            "a type that is not UTF-8", Data("event: ".utf8) + Data([0xFF]) + Data("\ndata: a\n\n".utf8),
            [event("a", "\u{FFFD}")]),
        // Ids.
        .init(
            "an id stays", "id: 7\ndata: a\n\ndata: b\n\nid: 8\n\ndata: c\n\n",
            [event("a", id: "7"), event("b", id: "7"), event("c", id: "8")]),
        .init("an id behind the data counts", "data: a\nid: 7\n\n", [event("a", id: "7")]),
        .init(
            "an id with NUL is ignored", "id: 7\ndata: a\n\nid: 8\0\ndata: b\n\n",
            [event("a", id: "7"), event("b", id: "7")]),
        .init("an id with a colon", "id: a:b\ndata\n\n", [event("", id: "a:b")]),
        // Data.
        .init("data with NUL", "data: a\0b\n\n", [event("a\0b")]),
        .init(
            "data that is not UTF-8 stays as it is", Data("data: ".utf8) + Data([0xFF, 0xC3]) + Data("\n\n".utf8),
            [ServerSentEvent(data: Data([0xFF, 0xC3]))]),
        .init(
            "data in several lines with other fields", "data: a\nid: 1\n: c\ndata\nevent: e\ndata: b\n\n",
            [event("a\n\nb", "e", id: "1")]),
        .init(
            "data in several lines that do not fit into a word",
            "data: aaaaaaaaaaaaaaaaaaaa\ndata: bbbbbbbbbbbbbbbbbbbb\n\n",
            [event("aaaaaaaaaaaaaaaaaaaa\nbbbbbbbbbbbbbbbbbbbb")]),
        .init("an event without its empty line is dropped", "data: a\n\ndata: b\n", [event("a")], isMidEvent: true),
        .init("a line without its end is dropped", "data: a\n\ndata: b", [event("a")], isMidEvent: true),
        .init("an id or retry alone is no event", "data: a\n\nid: 5\nretry: 5\n", [event("a")]),
        .init(
            "the end of OpenAI's streams", "data: {\"a\":1}\n\ndata: [DONE]\n\n", [event("{\"a\":1}"), event("[DONE]")]),
    ]
}
