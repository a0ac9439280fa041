import Foundation
import HTTPTypes
import HablareNetwork
import HablareProviders
import HablareTestServers
import Testing

@Suite struct NetworkSecurityTests {
    private func withAuthority<R>(_ body: (NetworkSettings) async throws -> R) async throws -> R {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).pem").path
        try Data(ServerTLS.testAuthority.utf8).write(to: URL(fileURLWithPath: path))
        defer { unlink(path) }
        return try await body(NetworkSettings(authoritiesPath: path))
    }

    @Test func `A server whose authority is named is trusted`() async throws {
        try await LoopbackServer.withServer(tls: .valid) { _ in
            .text(200, "secure")
        } _: { server in
            try await withAuthority { settings in
                try await withTransport(settings) { transport in
                    let text = try await transport.send(HTTPCall(.get, server.url())).body.text()
                    #expect(text == "secure")
                }
            }
        }
    }

    @Test func `A server whose authority nobody knows gets nothing`() async throws {
        try await LoopbackServer.withServer(tls: .valid) { _ in
            .text(200, "")
        } _: { server in
            try await withTransport { transport in
                let failure = try await failure(of: call(to: server), over: transport)
                #expect(failure.reason == .certificate, "\(failure.cause)")
                #expect(!failure.mayHaveArrived)
            }
            #expect(server.calls.isEmpty)
        }
    }

    @Test func `A server whose certificate has run out gets nothing`() async throws {
        try await LoopbackServer.withServer(tls: .expired) { _ in
            .text(200, "")
        } _: { server in
            try await withAuthority { settings in
                try await withTransport(settings) { transport in
                    let failure = try await failure(of: call(to: server), over: transport)
                    #expect(failure.reason == .certificate, "\(failure.cause)")
                    #expect(!failure.mayHaveArrived)
                }
            }
            #expect(server.calls.isEmpty)
        }
    }

    @Test func `A certificate of another host is told`() async throws {
        try await LoopbackServer.withServer(tls: .otherHost) { _ in
            .text(200, "")
        } _: { server in
            try await withAuthority { settings in
                try await withTransport(settings) { transport in
                    let failure = try await failure(of: call(to: server), over: transport)
                    #expect(failure.reason == .certificateOfOtherHost, "\(failure.cause)")
                    #expect(!failure.mayHaveArrived)
                }
            }
            #expect(server.calls.isEmpty)
        }
    }

    @Test func `https to a server that speaks none is no secure connection`() async throws {
        try await LoopbackServer.withServer { _ in
            .text(200, "")
        } _: { server in
            try await withTransport { transport in
                let url = try #require(URL(string: "https://localhost:\(server.port)/"))
                let failure = try await failure(of: HTTPCall(.post, url, body: .bytes(Data([1]))), over: transport)
                #expect(failure.reason == .secureConnection, "\(failure.cause)")
                #expect(!failure.mayHaveArrived)
            }
            #expect(server.calls.isEmpty)
        }
    }

    @Test func `http to a server that speaks https fails`() async throws {
        try await LoopbackServer.withServer(tls: .valid) { _ in
            .text(200, "")
        } _: { server in
            try await withTransport { transport in
                let url = try #require(URL(string: "http://localhost:\(server.port)/"))
                let failure = try await failure(of: HTTPCall(.get, url), over: transport)
                #expect([.connectionLost, .malformedAnswer].contains(failure.reason), "\(failure.cause)")
                #expect(failure.mayHaveArrived)
            }
        }
    }

    @Test(arguments: ConnectionCut.allCases)
    func `A secure answer that is cut is a lost connection`(how: ConnectionCut) async throws {
        let reply = ServerReply.text(200, "an answer of some length")
        try await LoopbackServer.withServer(tls: .valid) { _ in
            reply.cut(after: 70, by: how)
        } _: { server in
            try await withAuthority { settings in
                try await withTransport(settings) { transport in
                    let failure = try await failure(of: call(to: server), over: transport)
                    #expect(failure.reason == .connectionLost, "\(failure.cause)")
                    #expect(failure.mayHaveArrived)
                }
            }
        }
    }

    private func call(to server: LoopbackServer) throws -> HTTPCall {
        HTTPCall(.post, try server.url(), secrets: [.authorization: "Bearer k"], body: .bytes(Data([1])))
    }
}
