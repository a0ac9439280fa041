import Foundation
import HTTPTypes
import Testing

@testable import HablareProviders

@Suite struct RedirectTests {
    private func call(
        _ method: HTTPRequest.Method, _ url: String = "https://a.example/v1/x",
        secrets: HTTPFields = [.authorization: "Bearer k"]
    ) throws -> HTTPCall {
        var fields: HTTPFields = [
            .contentType: "application/json", .accept: "text/plain", .cookie: "c", .authorization: "own",
        ]
        fields[named: "x-api-key"] = "own"
        let hasBody = ![.get, .head].contains(method)
        return HTTPCall(
            method, try #require(URL(string: url)), fields: fields, secrets: secrets,
            body: hasBody ? .bytes(Data("{}".utf8)) : .none)
    }

    private func refusal(
        of call: HTTPCall, _ status: Int, to location: String, followed: Int = 0
    ) throws -> HTTPFailure {
        let failure = try #require(throws: HTTPFailure.self) {
            try Redirect.next(after: call, status: status, location: location, followed: followed)
        }
        #expect(failure.reason == .redirect)
        return failure
    }

    @Test func `A GET is followed for each status that points elsewhere`() throws {
        for status in [301, 302, 303, 307, 308] {
            for method in [HTTPRequest.Method.get, .head] {
                let call = try call(method)
                let next = try #require(
                    try Redirect.next(after: call, status: status, location: "/v2/y?z=1", followed: 0))
                #expect(next.url.absoluteString == "https://a.example/v2/y?z=1")
                #expect(next.method == method)
                #expect(next.secrets == call.secrets)
                #expect(next.fields == call.fields)
            }
        }
    }

    @Test func `What points nowhere is an answer`() throws {
        for status in [200, 201, 300, 304, 305, 306, 400, 500] {
            let next = try Redirect.next(after: call(.get), status: status, location: "/y", followed: 0)
            #expect(next == nil, "\(status)")
        }
        for location in [nil, ""] {
            let next = try Redirect.next(after: call(.get), status: 302, location: location, followed: 0)
            #expect(next == nil)
        }
    }

    @Test func `A POST keeps method and body for 307 and 308`() throws {
        for status in [307, 308] {
            let next = try #require(
                try Redirect.next(after: call(.post), status: status, location: "https://a.example/y", followed: 0))
            #expect(next.method == .post)
            #expect(next.body.byteCount == 2)
            #expect(next.fields[.contentType] == "application/json")
        }
    }

    @Test func `After 303 the result of a POST is fetched without its body`() throws {
        let next = try #require(
            try Redirect.next(after: call(.post), status: 303, location: "/result", followed: 0))
        #expect(next.method == .get)
        #expect(next.body.byteCount == 0)
        #expect(next.fields[.contentType] == nil)
        #expect(next.fields[.accept] == "text/plain")
    }

    @Test func `A POST that would become a GET is refused`() throws {
        for status in [301, 302] {
            let failure = try refusal(of: call(.post), status, to: "/y")
            #expect(!failure.mayHaveArrived)
        }
    }

    @Test func `A 303 that cannot be followed was carried out all the same, unless nothing was to be done`() throws {
        for (location, followed) in [
            ("/y", 5), ("http://a.example/y", 0), ("ftp://a.example/y", 0), ("//b.example/y", 0),
        ] {
            for (method, isDone) in [(HTTPRequest.Method.post, true), (.put, true), (.get, false), (.head, false)] {
                let failure = try refusal(of: call(method), 303, to: location, followed: followed)
                #expect(failure.mayHaveArrived == isDone, "\(method) \(location)")
            }
        }
        #expect(try !refusal(of: call(.post), 307, to: "//b.example/y").mayHaveArrived)
    }

    @Test func `Five redirects are followed, not six`() throws {
        let fifth = try Redirect.next(after: call(.get), status: 302, location: "/y", followed: 4)
        #expect(fifth != nil)
        #expect(throws: HTTPFailure.self) {
            try Redirect.next(after: call(.get), status: 302, location: "/y", followed: 5)
        }
    }

    @Test(arguments: [
        "http://a.example/y", "ftp://a.example/y", "https://user:word@a.example/y", "https:///y", "mailto:x@a.example",
    ])
    func `Nobody is led from https to http, nor to what is no address`(location: String) throws {
        #expect(throws: HTTPFailure.self) {
            try Redirect.next(after: call(.get), status: 302, location: location, followed: 0)
        }
    }

    @Test(arguments: [
        "https://b.example/y", "https://a.example:8443/y", "//b.example/y", "https://sub.a.example/y",
    ])
    func `A call with a key is not led to another origin`(location: String) throws {
        for method in [HTTPRequest.Method.get, .post] {
            for status in [302, 303, 307] where status != 302 || method == .get {
                let failure = try refusal(of: call(method), status, to: location)
                let host = try #require(URL(string: location)?.host())
                #expect(failure.cause.contains("https://\(host)"), "it is said where it points: \(failure.cause)")
            }
        }
    }

    @Test func `Of where a server points only what can be a host is said`() throws {
        let host = "a%20prompt%20that%20was%20sent.example"
        #expect(try !refusal(of: call(.get), 302, to: "https://\(host)/").cause.contains("prompt"))
        #expect(try !refusal(of: call(.get), 302, to: "https://b.example/the-prompt?key=1").cause.contains("prompt"))
    }

    @Test(arguments: [
        "https://b.example/y", "https://a.example:8443/y", "//b.example/y", "https://sub.a.example/y",
    ])
    func `A call without one goes there, and takes nothing along that could be one`(location: String) throws {
        let next = try #require(
            try Redirect.next(after: call(.get, secrets: [:]), status: 307, location: location, followed: 0))
        #expect(next.fields[.authorization] == nil && next.fields[.cookie] == nil)
        #expect(next.fields[named: "x-api-key"] == nil)
        #expect(next.fields[.accept] == "text/plain")
        let back = try #require(
            try Redirect.next(after: next, status: 307, location: "https://a.example/", followed: 1))
        #expect(back.fields[.authorization] == nil, "what is gone stays gone")
    }

    @Test(arguments: [
        "https://b.example/y", "https://a.example:8443/y", "//b.example/y", "https://sub.a.example/y",
    ])
    func `What a call says to one server no other is told, also without a key`(location: String) throws {
        let host = try #require(URL(string: location)?.host())
        for method in [HTTPRequest.Method.post, .put, .delete] {
            for status in [301, 302, 307, 308] {
                let failure = try refusal(of: call(method, secrets: [:]), status, to: location)
                #expect(failure.cause.contains("https://\(host)") && !failure.mayHaveArrived)
            }
        }
        var asking = try call(.get, secrets: [:])
        asking.body = .bytes(Data("{}".utf8))
        #expect(try refusal(of: asking, 307, to: location).cause.contains("https://\(host)"))
        var empty = try call(.post, secrets: [:])
        empty.body = .none
        #expect(try refusal(of: empty, 307, to: location).cause.contains("https://\(host)"))
        // The result of a call that was carried out is fetched there, without anything of the call.
        let result = try #require(
            try Redirect.next(after: call(.post, secrets: [:]), status: 303, location: location, followed: 0))
        #expect(result.method == .get && result.body.byteCount == 0 && result.fields[.authorization] == nil)
    }

    @Test(arguments: ["https://A.EXAMPLE/y", "https://a.example:443/y", "y", "/y", "?q"])
    func `The same origin keeps them, however it is written`(location: String) throws {
        let call = try call(.post)
        let next = try #require(try Redirect.next(after: call, status: 308, location: location, followed: 0))
        #expect(next.secrets == call.secrets)
    }

    @Test func `From http to https is another origin`() throws {
        for method in [HTTPRequest.Method.get, .post] {
            let failure = try refusal(of: call(method, "http://a.example/x"), 308, to: "https://a.example/x")
            #expect(failure.cause.contains("https://a.example"))
        }
        let call = try call(.get, "http://a.example/x", secrets: [:])
        let next = try #require(
            try Redirect.next(after: call, status: 301, location: "https://a.example/x", followed: 0))
        #expect(next.url.scheme == "https")
    }
}
