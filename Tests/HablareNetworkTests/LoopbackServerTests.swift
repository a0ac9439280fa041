import Foundation
import HTTPTypes
import Hablare
import HablareProviders
import HablareTestServers
import Testing

@Suite struct LoopbackServerTests {
    @Test(arguments: TransportKind.allCases)
    func `A call is recorded with everything it says`(kind: TransportKind) async throws {
        try await LoopbackServer.withServer {
            try .json(201, ["path": .string($0.path)])
        } _: { server in
            try await withTransport(kind) { transport in
                let call = HTTPCall(
                    .post, try server.url("/a%20b?x=1&y=%C3%A9"), fields: [.contentType: "text/plain"],
                    secrets: [.authorization: "Bearer k"], body: .bytes(Data("héllo".utf8)))
                let answer = try await transport.send(call)
                #expect(answer.status == 201)
                #expect(answer.fields[.contentType] == "application/json")
                let text = try await answer.body.text()
                #expect(text == #"{"path":"/a b"}"#)
                let record = try await server.call(0)
                #expect(record.call.method == .post)
                #expect(record.call.query("x") == "1")
                #expect(record.call.query("y") == "é")
                #expect(record.call.field("Content-Type") == "text/plain")
                #expect(record.call.field("authorization") == "Bearer k")
                #expect(record.call.field("content-length") == "6")
                #expect(record.call.body == Data("héllo".utf8))
                let ending = try await record.ending()
                #expect(ending == .complete)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `Calls one after the other share a connection, calls at once do not`(kind: TransportKind) async throws {
        let gate = Gate()
        try await LoopbackServer.withServer { call in
            call.path == "/wait" ? .pieces([.wait(gate)]) : .text(200, "ok")
        } _: { server in
            try await withTransport(kind) { transport in
                for _ in 0..<3 {
                    let text = try await transport.send(HTTPCall(.get, server.url())).body.text()
                    #expect(text == "ok")
                }
                #expect(server.connectionCount == 1)
                try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<3 {
                        let url = try server.url("/wait")
                        group.addTask { try await transport.send(HTTPCall(.get, url)).body.text() }
                    }
                    _ = try await server.calls(atLeast: 6)
                    #expect(server.connectionCount == 3)
                    gate.open()
                    for try await text in group { #expect(text.isEmpty) }
                }
            }
        }
    }
}
