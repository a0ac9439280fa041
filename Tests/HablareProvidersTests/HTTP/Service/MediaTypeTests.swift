import Testing

@testable import HablareProviders

@Suite struct MediaTypeTests {
    @Test(arguments: [
        ("application/json", "application/json"), ("Application/JSON; charset=utf-8", "application/json"),
        (" text/event-stream ;x=y", "text/event-stream"), ("", ""), (";", ""),
        ("\ttext/ html", "text/html"), ("TEXT/É", "text/É"),
    ])
    func `Parameters and case are left out`(field: String, text: String) {
        #expect(MediaType(field).text == text)
    }

    @Test(arguments: [
        ("application/json", ["application/json"], true), ("application/problem+json", ["application/json"], true),
        ("audio/mpeg", ["audio"], true), ("audio/mpeg", ["audio/wav", "audio/mpeg"], true),
        ("audiobook/x", ["audio"], false), ("text/html", ["application/json", "audio"], false), ("", ["audio"], false),
        ("audio/mpeg", [], false), ("application/json+x", ["application/json"], false),
    ])
    func `A kind is a whole type or its first part`(field: String, kinds: [String], isOne: Bool) {
        #expect(MediaType(field).isOne(of: kinds) == isOne)
    }
}
