import Foundation
import HTTPTypes
import HablareNetwork
import HablareProviders
import HablareTestServers
import Testing

/// Uses real time, because silences are measured in it. Time limits for events that must be in time are long, for busy
/// machines.
@Suite(.timeLimit(.minutes(5))) struct NetworkSilenceTests {
    private static let quick = NetworkSettings(idleTimeout: .seconds(3))

    private func failure(
        of reply: ServerReply, over kind: TransportKind, quiet: Duration = .seconds(3), idle: Duration? = nil
    ) async throws -> HTTPFailure {
        try await LoopbackServer.withServer { _ in
            reply
        } _: { server in
            try await withTransport(kind, idleTimeout: quiet) { transport in
                let call = HTTPCall(.post, try server.url(), body: .bytes(Data([1])), idleTimeout: idle)
                let found = try await HablareNetworkTests.failure(of: call, over: transport)
                let left = try await server.call(0).clientLeft()
                #expect(left)
                return found
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A server that says nothing is given up, and its connection ended`(kind: TransportKind) async throws {
        let failure = try await failure(of: .silence, over: kind)
        #expect(failure.reason == .idleTimeout)
        #expect(failure.mayHaveArrived)
    }

    @Test(arguments: TransportKind.allCases)
    func `A server that falls silent in the middle is given up`(kind: TransportKind) async throws {
        let failure = try await failure(of: .pieces([.piece("one"), .hang]), over: kind)
        #expect(failure.reason == .idleTimeout)
    }

    @Test(arguments: TransportKind.allCases)
    func `A head that never ends is given up`(kind: TransportKind) async throws {
        let failure = try await failure(of: .raw([.piece("HTTP/1.1 200 OK\r\nx-a: "), .hang]), over: kind)
        #expect(failure.reason == .idleTimeout)
    }

    @Test(arguments: TransportKind.allCases)
    func `The call's own time wins`(kind: TransportKind) async throws {
        let failure = try await failure(of: .silence, over: kind, quiet: .seconds(120), idle: .seconds(2))
        #expect(failure.reason == .idleTimeout)
    }

    @Test(arguments: TransportKind.allCases)
    func `A slow drip is no silence`(kind: TransportKind) async throws {
        try await LoopbackServer.withServer { _ in
            .pieces([.drip(Data(repeating: 1, count: 10), every: .milliseconds(400))])
        } _: { server in
            try await withTransport(kind, idleTimeout: .seconds(3)) { transport in
                let data = try await transport.send(HTTPCall(.get, server.url())).body.data()
                #expect(data.count == 10)
            }
        }
    }

    @Test func `A reader who is slow is no silent server`() async throws {
        try await LoopbackServer.withServer { _ in
            .bytes(200, Data(count: 32 << 20))
        } _: { server in
            try await withTransport(NetworkSettings(idleTimeout: .seconds(4))) { transport in
                let answer = try await transport.send(HTTPCall(.get, server.url()))
                try await Task.sleep(for: .seconds(6))
                // Unread data is not fetched: the server cannot have sent all of it.
                #expect(server.calls.first?.endingSoFar == nil)
                let data = try await answer.body.data()
                #expect(data.count == 32 << 20)
            }
        }
    }

    @Test func `A server that does not take the call is given up`() async throws {
        let gate = Gate()
        try await LoopbackServer.withServer(beforeBody: { _ in .raw([.wait(gate)]) }) { _ in
            .text(200, "")
        } _: { server in
            try await withTransport(Self.quick) { transport in
                let call = HTTPCall(.post, try server.url(), body: .bytes(Data(count: 64 << 20)))
                let failure = try await HablareNetworkTests.failure(of: call, over: transport)
                #expect(failure.reason == .idleTimeout)
                #expect(failure.mayHaveArrived)
                gate.open()
            }
        }
    }

    @Test func `A host that nobody knows is told`() async throws {
        try await withTransport(NetworkSettings(connectTimeout: .seconds(30))) { transport in
            let url = try #require(URL(string: "http://no-such-host.invalid/"))
            let failure = try await HablareNetworkTests.failure(of: HTTPCall(.get, url), over: transport)
            #expect(failure.reason == .hostNotFound, "\(failure.cause)")
            #expect(!failure.mayHaveArrived)
        }
    }
}
