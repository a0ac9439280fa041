import Foundation
import HTTPTypes
import HablareNetwork
import HablareProviders
import HablareTestServers
import Testing

@Suite struct NetworkFailureTests {
    private static let length = ServerReply.text(200, "an answer of some length")
    private static let chunked = ServerReply.pieces([.piece("an answer "), .piece("in two pieces")])

    @Test(arguments: ConnectionCut.allCases, [length, chunked])
    func `An answer cut at any byte is a lost connection`(how: ConnectionCut, reply: ServerReply) async throws {
        let count = reply.wire.count
        try await LoopbackServer.withServer { call in
            reply.cut(after: Int(call.query("after") ?? "") ?? 0, by: how)
        } _: { server in
            for kind in TransportKind.allCases {
                try await withTransport(kind) { transport in
                    // The open-source Foundation traps if an answer ends within its head.
                    let end = reply.wire.firstRange(of: Data("\r\n\r\n".utf8))?.upperBound ?? 0
                    for position in (kind == .network ? 0 : end)..<count {
                        let call = HTTPCall(.post, try server.url("/?after=\(position)"), body: .bytes(Data([1])))
                        let failure: HTTPFailure
                        do {
                            let data = try await transport.send(call).body.data()
                            // libcurl takes chunks for complete before their last line end, and if none came.
                            let isWhole =
                                data.isEmpty && position == end || data == Data("an answer in two pieces".utf8)
                            #expect(kind == .urlSession && isWhole, "\(kind), after \(position) of \(count)")
                            continue
                        } catch let error as HTTPFailure {
                            failure = error
                        }
                        let place = "\(kind), after \(position) of \(count): \(failure.cause)"
                        #expect(failure.reason == .connectionLost, "\(place)")
                        #expect(failure.mayHaveArrived, "\(place)")
                    }
                }
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `What came before the cut is read`(kind: TransportKind) async throws {
        let isRead = Gate()
        try await LoopbackServer.withServer { _ in
            .pieces([.piece("one"), .wait(isRead), .cut(.reset)])
        } _: { server in
            try await withTransport(kind) { transport in
                var pieces = try await transport.send(HTTPCall(.get, server.url())).body.makeAsyncIterator()
                let first = try await pieces.next()
                #expect(first == Data("one".utf8))
                isRead.open()
                let failure = try await #require(throws: HTTPFailure.self) { try await pieces.next() }
                #expect(failure.reason == .connectionLost)
                await #expect(throws: HTTPFailure.self) { try await pieces.next() }
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A body shorter than its length is a lost connection`(kind: TransportKind) async throws {
        try await LoopbackServer.withServer { _ in
            Self.length.length(1000)
        } _: { server in
            try await withTransport(kind) { transport in
                let failure = try await failure(of: HTTPCall(.get, server.url()), over: transport)
                #expect(failure.reason == .connectionLost)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A body longer than its length ends where it says`(kind: TransportKind) async throws {
        try await LoopbackServer.withServer { _ in
            Self.length.length(9)
        } _: { server in
            try await withTransport(kind) { transport in
                let text = try await transport.send(HTTPCall(.get, server.url())).body.text()
                #expect(text == "an answer")
            }
        }
    }

    @Test(
        arguments: [
            "SSH-2.0-OpenSSH_9.2\r\n", "220 mail.example ESMTP\r\n", "\u{0}\u{1}\u{2}\r\n\r\n", "<html></html>\n",
        ], TransportKind.allCases)
    func `What is no HTTP is told`(text: String, kind: TransportKind) async throws {
        try await LoopbackServer.withServer { _ in
            .raw([.piece(text), .hang])
        } _: { server in
            try await withTransport(kind) { transport in
                let failure = try await failure(of: HTTPCall(.get, server.url()), over: transport)
                #expect(failure.reason == .malformedAnswer, "\(failure.cause)")
                #expect(failure.mayHaveArrived)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A chunk that is none is told`(kind: TransportKind) async throws {
        let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"
        try await LoopbackServer.withServer { _ in
            .raw([.piece(head), .hang])
        } _: { server in
            try await withTransport(kind) { transport in
                let failure = try await failure(of: HTTPCall(.get, server.url()), over: transport)
                // URLSession on Linux has no reason of its own for it.
                #expect(
                    failure.reason == .malformedAnswer || kind == .urlSession && failure.reason == .connectionLost,
                    "\(failure.cause)")
                #expect(failure.mayHaveArrived)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `Where nobody listens, nothing has arrived`(kind: TransportKind) async throws {
        let url = try await LoopbackServer.withServer { _ in
            .text(200, "")
        } _: {
            try $0.url()
        }
        try await withTransport(kind) { transport in
            let failure = try await failure(of: HTTPCall(.post, url, body: .bytes(Data([1]))), over: transport)
            #expect(failure.reason == .unreachable, "\(failure.cause)")
            #expect(!failure.mayHaveArrived)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `The next call after a lost connection takes another one`(kind: TransportKind) async throws {
        try await LoopbackServer.withServer { call in
            call.number == 0 ? .raw([.cut(.reset)]) : .text(200, "again")
        } _: { server in
            try await withTransport(kind) { transport in
                let failure = try await failure(of: HTTPCall(.get, server.url()), over: transport)
                #expect(failure.reason == .connectionLost)
                let text = try await transport.send(HTTPCall(.get, server.url())).body.text()
                #expect(text == "again")
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `No failure has a key, a query or a body in it`(kind: TransportKind) async throws {
        try await LoopbackServer.withServer { call in
            call.number % 2 == 0
                ? .raw([.piece("no HTTP: \(call.field("authorization") ?? "")\r\n")]) : .raw([.cut(.reset)])
        } _: { server in
            try await withTransport(kind) { transport in
                for _ in 0..<4 {
                    let call = HTTPCall(
                        .post, try server.url("/x?q=geheim-query"), secrets: [.authorization: "Bearer geheim-key"],
                        body: .bytes(Data("geheim-body".utf8)))
                    let failure = try await failure(of: call, over: transport)
                    var dumped = ""
                    dump(failure, to: &dumped)
                    #expect(!dumped.contains("geheim"), "\(dumped)")
                    dump(call, to: &dumped)
                    #expect(!dumped.contains("geheim"), "\(dumped)")
                }
            }
        }
    }
}
