import Foundation
import Hablare
import HablareTestServers
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct LoopbackServerTests {
    @Test func `A call is answered, recorded, and seen to be left by its client`() async throws {
        try await LoopbackServer.withServer { call in
            switch call.path {
            case "/hang": .pieces([.piece("data: 1\n\n"), .hang])
            default: try .json(200, ["path": .string(call.path), "n": .int(Int64(call.body.count))])
            }
        } _: { server in
            var request = URLRequest(url: try server.url("/a%20b?x=1"))
            request.httpMethod = "POST"
            request.httpBody = Data(count: 100_000)
            for _ in 0..<3 {
                let (data, _) = try await URLSession.shared.data(for: request)
                #expect(String(decoding: data, as: UTF8.self) == #"{"n":100000,"path":"/a b"}"#)
            }
            #expect(server.calls.count == 3)
            #expect(server.calls[0].endingSoFar == .complete)
            let hanging = try server.url("/hang")
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await URLSession.shared.data(from: hanging) }
                let call = try await server.call(3)
                group.cancelAll()
                #expect(try await call.clientLeft() == true)
            }
        }
    }
}
