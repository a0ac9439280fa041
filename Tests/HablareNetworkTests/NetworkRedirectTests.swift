import Foundation
import HTTPTypes
import HablareNetwork
import HablareProviders
import HablareTestServers
import Testing

@Suite struct NetworkRedirectTests {
    /// The body of the redirect is sent after its head. A transport that does not wait for it would need a second
    /// connection.
    @Test func `A redirect within the origin keeps the key and the connection`() async throws {
        let redirect = ServerReply(
            status: 308, fields: [.location: "/new"], steps: [.drip(Data("moved".utf8), every: .milliseconds(4))],
            framing: .length(5))
        var settings = NetworkSettings()
        settings.lingering = .seconds(60)
        try await LoopbackServer.withServer { call in
            call.path == "/old" ? redirect : .text(200, "there")
        } _: { server in
            try await withTransport(settings) { transport in
                let call = HTTPCall(
                    .post, try server.url("/old"), secrets: [.authorization: "Bearer k"], body: .bytes(Data("b".utf8)))
                let text = try await transport.send(call).body.text()
                #expect(text == "there")
                let second = try await server.call(1).call
                #expect(second.path == "/new")
                #expect(second.method == .post)
                #expect(second.body == Data("b".utf8))
                #expect(second.field("authorization") == "Bearer k")
                #expect(server.connectionCount == 1)
            }
        }
    }

    @Test(arguments: TransportKind.redirecting)
    func `A call with a key is not made at another host, and nothing of it goes there`(kind: TransportKind) async throws
    {
        try await LoopbackServer.withServer { _ in
            .text(200, "elsewhere")
        } _: { other in
            try await LoopbackServer.withServer { call in
                .head(Int(call.query("status") ?? "") ?? 307, fields: [.location: "\(other.base)/x"])
            } _: { server in
                try await withTransport(kind) { transport in
                    for status in [303, 307, 308] {
                        let call = HTTPCall(
                            .post, try server.url("/?status=\(status)"), secrets: [.authorization: "Bearer k"],
                            body: .bytes(Data("b".utf8)))
                        let failure = try await failure(of: call, over: transport)
                        #expect(failure.reason == .redirect)
                        #expect(failure.mayHaveArrived == (status == 303))
                    }
                }
                #expect(server.calls.count == 3)
            }
            #expect(other.connectionCount == 0)
        }
    }

    @Test(arguments: TransportKind.redirecting)
    func `What is asked without a key is asked at another host, and nothing that was sent goes there`(
        kind: TransportKind
    )
        async throws
    {
        try await LoopbackServer.withServer { _ in
            .text(200, "elsewhere")
        } _: { other in
            try await LoopbackServer.withServer { _ in
                .head(307, fields: [.location: "\(other.base)/x"])
            } _: { server in
                try await withTransport(kind) { transport in
                    let sent = HTTPCall(.post, try server.url("/old"), body: .bytes(Data("b".utf8)))
                    let failure = try await failure(of: sent, over: transport)
                    #expect(failure.reason == .redirect && !failure.mayHaveArrived)
                    #expect(failure.cause.contains(other.base))
                    #expect(other.connectionCount == 0)
                    let call = HTTPCall(.get, try server.url("/old"), fields: [.authorization: "Bearer k"])
                    let text = try await transport.send(call).body.text()
                    #expect(text == "elsewhere")
                    let first = try await server.call(1).call
                    #expect(first.field("authorization") == "Bearer k")
                    let second = try await other.call(0).call
                    #expect(second.field("authorization") == nil)
                }
            }
        }
    }

    @Test(arguments: TransportKind.redirecting)
    func `A circle ends after five redirects`(kind: TransportKind) async throws {
        try await LoopbackServer.withServer { _ in
            .head(302, fields: [.location: "/"])
        } _: { server in
            try await withTransport(kind) { transport in
                let failure = try await failure(of: HTTPCall(.get, server.url()), over: transport)
                #expect(failure.reason == .redirect)
                #expect(!failure.mayHaveArrived)
                #expect(server.calls.count == 6)
            }
        }
    }

    @Test(arguments: TransportKind.redirecting)
    func `After a 303 the call has arrived, whatever comes then`(kind: TransportKind) async throws {
        try await LoopbackServer.withServer { call in
            call.method == .post ? .head(303, fields: [.location: "/result"]) : .raw([.cut(.finish)])
        } _: { server in
            try await withTransport(kind) { transport in
                let call = HTTPCall(.post, try server.url(), body: .bytes(Data([1])))
                let failure = try await failure(of: call, over: transport)
                #expect(failure.reason == .connectionLost)
                #expect(failure.mayHaveArrived)
            }
        }
        let gone = try await LoopbackServer.withServer { _ in
            .text(200, "")
        } _: {
            $0.base
        }
        try await LoopbackServer.withServer { _ in
            .head(303, fields: [.location: gone])
        } _: { server in
            try await withTransport(kind) { transport in
                let call = HTTPCall(.post, try server.url(), body: .bytes(Data([1])))
                let failure = try await failure(of: call, over: transport)
                #expect(failure.reason == .unreachable)
                #expect(failure.mayHaveArrived, "the POST was carried out, though its result cannot be fetched")
            }
        }
    }

    @Test(arguments: TransportKind.redirecting)
    func `An answer says whether the call was carried out before it`(kind: TransportKind) async throws {
        try await LoopbackServer.withServer { call in
            switch call.path {
            case "/result": .text(503, "busy")
            case "/nowhere": .head(303)
            case "/moved": .head(308, fields: [.location: "/result"])
            default: .head(303, fields: [.location: "/result"])
            }
        } _: { server in
            try await withTransport(kind) { transport in
                for (method, path, status, wasCarriedOut) in [
                    (HTTPRequest.Method.post, "/", 503, true), (.get, "/", 503, false), (.post, "/moved", 503, false),
                    (.post, "/nowhere", 303, true), (.get, "/nowhere", 303, false), (.post, "/result", 503, false),
                ] {
                    let answer = try await transport.send(HTTPCall(method, try server.url(path)))
                    #expect(answer.status == status && answer.wasCarriedOut == wasCarriedOut, "\(method) \(path)")
                    _ = try await answer.body.data()
                }
            }
        }
    }

    @Test(arguments: TransportKind.redirecting)
    func `A redirect of a POST that would lose its body is refused`(kind: TransportKind) async throws {
        try await LoopbackServer.withServer { _ in
            .head(301, fields: [.location: "/new"])
        } _: { server in
            try await withTransport(kind) { transport in
                let call = HTTPCall(.post, try server.url(), body: .bytes(Data([1])))
                let failure = try await failure(of: call, over: transport)
                #expect(failure.reason == .redirect)
                #expect(server.calls.count == 1)
            }
        }
    }
}
