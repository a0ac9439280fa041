import Foundation
import HTTPTypes
import Testing

@testable import HablareProviders

@Suite struct RedirectTests {
    private func call(_ method: HTTPRequest.Method, _ url: String = "https://a.example/v1/x") throws -> HTTPCall {
        HTTPCall(
            method, try #require(URL(string: url)),
            fields: [.contentType: "application/json", .accept: "text/plain", .cookie: "c", .authorization: "own"],
            secrets: [.authorization: "Bearer k"], body: .bytes(Data("{}".utf8)))
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
            let failure = try #require(throws: HTTPFailure.self) {
                try Redirect.next(after: call(.post), status: status, location: "/y", followed: 0)
            }
            #expect(failure.reason == .redirect)
            #expect(!failure.mayHaveArrived)
        }
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
    func `Another origin gets no secrets`(location: String) throws {
        let next = try #require(
            try Redirect.next(after: call(.post), status: 307, location: location, followed: 0))
        #expect(next.secrets == [:])
        #expect(next.fields[.authorization] == nil)
        #expect(next.fields[.cookie] == nil)
        #expect(next.fields[.contentType] == "application/json")
        let back = try #require(
            try Redirect.next(after: next, status: 307, location: "https://a.example/", followed: 1))
        #expect(back.secrets == [:], "what is gone stays gone")
    }

    @Test(arguments: ["https://A.EXAMPLE/y", "https://a.example:443/y", "y", "/y", "?q"])
    func `The same origin keeps them, however it is written`(location: String) throws {
        let call = try call(.post)
        let next = try #require(try Redirect.next(after: call, status: 308, location: location, followed: 0))
        #expect(next.secrets == call.secrets)
    }

    @Test func `From http to https is another origin`() throws {
        let call = try call(.get, "http://a.example/x")
        let next = try #require(
            try Redirect.next(after: call, status: 301, location: "https://a.example/x", followed: 0))
        #expect(next.url.scheme == "https")
        #expect(next.secrets == [:])
    }
}
