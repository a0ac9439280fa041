import Foundation
import HTTPTypes
import HablareNetwork
import HablareProviders
import HablareTestServers
import Testing

@Suite struct NetworkTransportTests {
    @Test(arguments: TransportKind.allCases)
    func `A piece is read before the next one is sent`(kind: TransportKind) async throws {
        let gate = Gate()
        try await LoopbackServer.withServer { _ in
            .pieces([.piece("one"), .wait(gate), .piece("two")])
        } _: { server in
            try await withTransport(kind) { transport in
                let answer = try await transport.send(HTTPCall(.get, server.url()))
                var pieces = answer.body.makeAsyncIterator()
                let first = try await pieces.next()
                #expect(first == Data("one".utf8))
                gate.open()
                let second = try await pieces.next()
                #expect(second == Data("two".utf8))
                let end = try await pieces.next()
                #expect(end == nil)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A call that is cancelled before its answer ends the transfer`(kind: TransportKind) async throws {
        try await LoopbackServer.withServer { _ in
            .silence
        } _: { server in
            try await withTransport(kind) { transport in
                let call = HTTPCall(.get, try server.url())
                try await withThrowingTaskGroup(of: HTTPAnswer.self) { group in
                    group.addTask { try await transport.send(call) }
                    let record = try await server.call(0)
                    group.cancelAll()
                    await #expect(throws: CancellationError.self) { try await group.next() }
                    let left = try await record.clientLeft()
                    #expect(left)
                }
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A reader that is cancelled ends the transfer`(kind: TransportKind) async throws {
        let isRead = Gate()
        try await LoopbackServer.withServer { _ in
            .pieces([.piece("one"), .hang])
        } _: { server in
            try await withTransport(kind) { transport in
                let call = HTTPCall(.get, try server.url())
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for try await _ in try await transport.send(call).body { isRead.open() }
                    }
                    try await isRead.wait()
                    group.cancelAll()
                    await #expect(throws: CancellationError.self) { try await group.next() }
                    let left = try await server.call(0).clientLeft()
                    #expect(left)
                }
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `Whoever is cancelled before the call sends nothing`(kind: TransportKind) async throws {
        try await LoopbackServer.withServer { _ in
            .text(200, "")
        } _: { server in
            try await withTransport(kind) { transport in
                let call = HTTPCall(.get, try server.url())
                let go = Gate()
                await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        do { try await go.wait() } catch { go.open() }
                        _ = try await transport.send(call)
                    }
                    group.cancelAll()
                    await #expect(throws: CancellationError.self) { try await group.next() }
                }
                #expect(server.calls.isEmpty)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `Letting go of the body ends the transfer`(kind: TransportKind) async throws {
        try await LoopbackServer.withServer { _ in
            .pieces([.piece("one"), .hang])
        } _: { server in
            try await withTransport(kind) { transport in
                func firstPiece() async throws -> Data? {
                    var pieces = try await transport.send(HTTPCall(.get, server.url())).body.makeAsyncIterator()
                    return try await pieces.next()
                }
                let first = try await firstPiece()
                #expect(first == Data("one".utf8))
                let left = try await server.call(0).clientLeft()
                #expect(left)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `Letting go of an answer that is nobody's ends the transfer`(kind: TransportKind) async throws {
        try await LoopbackServer.withServer { _ in
            .pieces([.piece("one"), .hang])
        } _: { server in
            try await withTransport(kind) { transport in
                let status = try await transport.send(HTTPCall(.get, server.url())).status
                #expect(status == 200)
                let left = try await server.call(0).clientLeft()
                #expect(left)
            }
        }
    }

    @Test func `A reader that leaves just before the end costs no connection`() async throws {
        let isRead = Gate()
        try await LoopbackServer.withServer { call in
            call.number == 0 ? .pieces([.piece("last"), .wait(isRead)]) : .text(200, "next")
        } _: { server in
            // The next call waits for the only connection, which is free or closed after the rest was received.
            var settings = NetworkSettings(connectTimeout: .seconds(60), connectionsPerHost: 1)
            settings.lingering = .seconds(60)
            try await withTransport(settings) { transport in
                func firstPiece() async throws {
                    var pieces = try await transport.send(HTTPCall(.get, server.url())).body.makeAsyncIterator()
                    _ = try await pieces.next()
                }
                try await firstPiece()
                isRead.open()
                let text = try await transport.send(HTTPCall(.get, server.url())).body.text()
                #expect(text == "next")
                #expect(server.calls.map(\.call.connection) == [0, 0])
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `Many calls at once are all answered`(kind: TransportKind) async throws {
        try await LoopbackServer.withServer { call in
            .bytes(200, call.body)
        } _: { server in
            try await withTransport(kind) { transport in
                let url = try server.url()
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 0..<200 {
                        group.addTask {
                            let body = Data(repeating: UInt8(number), count: number * 700)
                            let answer = try await transport.send(HTTPCall(.post, url, body: .bytes(body)))
                            return try await answer.body.data() == body
                        }
                    }
                    for try await isSame in group { #expect(isSame) }
                }
            }
        }
    }

    @Test(arguments: [204, 304], TransportKind.allCases)
    func `An answer without a body has an end`(status: Int, kind: TransportKind) async throws {
        try await LoopbackServer.withServer { _ in
            .head(status)
        } _: { server in
            try await withTransport(kind) { transport in
                let answer = try await transport.send(HTTPCall(.get, server.url()))
                #expect(answer.status == status)
                let data = try await answer.body.data()
                #expect(data.isEmpty)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A HEAD has the head alone`(kind: TransportKind) async throws {
        try await LoopbackServer.withServer { _ in
            .text(200, "not sent")
        } _: { server in
            try await withTransport(kind) { transport in
                let answer = try await transport.send(HTTPCall(.head, server.url()))
                #expect(answer.fields[.contentLength] == "8")
                let data = try await answer.body.data()
                #expect(data.isEmpty)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `Fields of one name all arrive`(kind: TransportKind) async throws {
        let name = try #require(HTTPField.Name("x-limit"))
        var fields = HTTPFields()
        fields[values: name] = ["1", "2"]
        let sent = fields
        try await LoopbackServer.withServer { _ in
            .text(200, "", fields: sent)
        } _: { server in
            try await withTransport(kind) { transport in
                let answer = try await transport.send(HTTPCall(.get, server.url(), fields: sent))
                // URLSession joins them, which means the same (RFC 9110, 5.3).
                #expect(kind != .network || answer.fields[values: name] == ["1", "2"])
                #expect(answer.fields[name]?.replacing(" ", with: "") == "1,2")
                let received = try await server.call(0).call.fields[values: name]
                #expect(received == (kind == .network ? ["1", "2"] : ["1,2"]))
            }
        }
    }

    @Test func `Who calls is said, unless the call says it`() async throws {
        try await LoopbackServer.withServer { _ in
            .text(200, "")
        } _: { server in
            try await withTransport(NetworkSettings(userAgent: "hablare/test")) { transport in
                _ = try await transport.send(HTTPCall(.get, server.url()))
                _ = try await transport.send(HTTPCall(.get, server.url(), fields: [.userAgent: "mine"]))
                let calls = try await server.calls(atLeast: 2)
                #expect(calls.map { $0.call.fields[values: .userAgent] } == [["hablare/test"], ["mine"]])
                #expect(calls.allSatisfy { $0.call.fields[.acceptEncoding] == nil })
            }
        }
    }

    @Test func `What was shut down sends nothing, and says so`() async throws {
        try await LoopbackServer.withServer { _ in
            .silence
        } _: { server in
            let transport = try NetworkTransport()
            let call = HTTPCall(.get, try server.url())
            try await withThrowingTaskGroup(of: HTTPAnswer.self) { group in
                group.addTask { try await transport.send(call) }
                let record = try await server.call(0)
                await transport.shutdown()
                let failure = try await #require(throws: HTTPFailure.self) { try await group.next() }
                #expect(failure.mayHaveArrived)
                let left = try await record.clientLeft()
                #expect(left)
            }
            let later = try await failure(of: call, over: transport)
            #expect(later.reason == .other)
            #expect(!later.mayHaveArrived)
            await transport.shutdown()
            #expect(server.calls.count == 1)
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `Whatever moment a transport is shut down at, each call ends`() async throws {
        try await LoopbackServer.withServer { _ in
            .text(200, "")
        } _: { server in
            let call = HTTPCall(.get, try server.url())
            for _ in 0..<100 {
                let transport = try NetworkTransport()
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            do {
                                _ = try await transport.send(call).body.data()
                            } catch {
                                #expect(error is HTTPFailure)
                            }
                        }
                    }
                    group.addTask { await transport.shutdown() }
                }
            }
        }
    }

    @Test func `A transport that nobody shuts down closes its connections when it goes`() async throws {
        try await LoopbackServer.withServer { _ in
            .pieces([.piece("one"), .hang])
        } _: { server in
            let call = HTTPCall(.get, try server.url())
            func answer() async throws -> HTTPAnswer { try await NetworkTransport().send(call) }
            let kept = try await answer()
            let left = try await server.call(0).clientLeft()
            #expect(left)
            await #expect(throws: HTTPFailure.self) { try await kept.body.data() }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `An address of another scheme is refused`(kind: TransportKind) async throws {
        try await withTransport(kind) { transport in
            let url = try #require(URL(string: "ftp://a.example/x"))
            let failure = try await failure(of: HTTPCall(.get, url), over: transport)
            #expect(failure.reason == .other)
            #expect(!failure.mayHaveArrived)
        }
    }

    @Test func `A file of authorities that is none is refused by its name`() throws {
        for path in ["/nonexistent/authorities.pem", "/dev/null"] {
            let error = try #require(throws: (any Error).self) {
                try NetworkTransport(NetworkSettings(authoritiesPath: path))
            }
            #expect("\(error)".contains(path))
        }
    }
}
