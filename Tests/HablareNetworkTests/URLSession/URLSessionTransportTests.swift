import Foundation
import HTTPTypes
import Hablare
import HablareProviders
import HablareTestServers
import HablareURLSession
import Testing

/// The behaviour of this transport alone. `TransportKind` runs the contract over it too.
@Suite struct URLSessionTransportTests {
    @Test(.timeLimit(.minutes(1))) func `A refusal that asks for a password is an answer`() async throws {
        var fields = HTTPFields()
        fields[.wwwAuthenticate] = #"Basic realm="x""#
        let refused = fields
        try await LoopbackServer.withServer { _ in
            .text(401, "who?", fields: refused)
        } _: { server in
            try await withTransport(.urlSession) { transport in
                let answer = try await transport.send(HTTPCall(.post, server.url(), body: .bytes(Data([1]))))
                #expect(answer.status == 401)
                let text = try await answer.body.text()
                // The open-source Foundation keeps the body of such an answer for itself.
                #expect(["who?", ""].contains(text))
                #expect(server.calls.count == 1)
            }
        }
    }

    @Test func `A cookie of one answer is not sent with the next call`() async throws {
        var fields = HTTPFields()
        fields[.setCookie] = "a=b; Path=/"
        let answered = fields
        try await LoopbackServer.withServer { _ in
            .text(200, "", fields: answered)
        } _: { server in
            try await withTransport(.urlSession) { transport in
                for _ in 0..<2 { _ = try await transport.send(HTTPCall(.get, server.url())).body.data() }
                #expect(server.calls.allSatisfy { $0.call.field("cookie") == nil })
            }
        }
    }

    #if !canImport(Darwin)
    @Test func `An answer of which too much is unread fails and does not fill the memory`() async throws {
        try await LoopbackServer.withServer { _ in
            // More than the sockets' buffers can hold.
            .bytes(200, Data(count: 64 << 20))
        } _: { server in
            let transport = try URLSessionTransport(URLSessionSettings(mostUnread: 1 << 20))
            let answer = try await transport.send(HTTPCall(.get, server.url()))
            // The server ends: it was cut off, or it was done.
            _ = try await server.call(0).ending()
            let failure = try await #require(throws: HTTPFailure.self) { try await answer.body.data() }
            #expect(failure.reason == .other && failure.mayHaveArrived)
            await transport.shutdown()
        }
    }

    @Test func `Rules for proxies are refused where they have no effect`() throws {
        let rules = ProxyRules(http: try ProxyAddress("http://127.0.0.1:9"), https: nil)
        let error = try #require(throws: AIServiceError.self) {
            try URLSessionTransport(URLSessionSettings(proxies: rules))
        }
        #expect(error.code == .invalidConfiguration && error.message.contains("HablareNetwork"))
    }
    #endif
}
