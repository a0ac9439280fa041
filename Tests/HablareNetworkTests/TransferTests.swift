import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hablare
import HablareProviders
import HablareTestServers
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import HablareNetwork

/// Ends of a call that the client library reports only to its task.
@Suite(.timeLimit(.minutes(1))) struct TransferTests {
    @Test func `A call over a client that was shut down before fails`() async throws {
        let client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton)
        try await client.shutdown()
        let transfer = Transfer(idleTimeout: .seconds(600), lingering: .zero, isProxied: false)
        let request = try HTTPClient.Request(url: "http://127.0.0.1:9/")
        let failure = try await #require(throws: HTTPFailure.self) {
            _ = try await transfer.answer(to: request, from: client, isUpload: false) { true }
        }
        #expect(!failure.mayHaveArrived)
    }

    @Test func `An upload that is cut off after its answer came fails`() async throws {
        let gate = Gate()
        let early: [ServerStep] = [
            .piece("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"), .wait(gate), .cut(.reset),
        ]
        try await LoopbackServer.withServer(beforeBody: { _ in .raw(early) }) { _ in
            .text(200, "")
        } _: { server in
            try await withTransport(NetworkSettings(idleTimeout: .seconds(600))) { transport in
                let film = HTTPBody.bytes(Data(count: 32 << 20))
                let answer = try await transport.send(HTTPCall(.post, server.url(), body: film))
                #expect(answer.status == 200)
                gate.open()
                let failure = try await #require(throws: HTTPFailure.self) { try await answer.body.data() }
                #expect(failure.reason == .connectionLost && failure.mayHaveArrived)
            }
        }
    }

    @Test func `An upload whose end cannot be sent after its answer came fails`() async throws {
        let early: [ServerStep] = [.piece("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"), .wait(Gate())]
        try await LoopbackServer.withServer(beforeBody: { _ in .raw(early) }) { _ in
            .text(200, "")
        } _: { server in
            let client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton)
            let rest = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
            // Shorter than its stated length, which the library only notices at the end.
            let body = HTTPClient.Body.stream(contentLength: 10) { writer in
                writer.write(.byteBuffer(ByteBuffer(string: "short"))).flatMap { rest.futureResult }
            }
            let request = try HTTPClient.Request(url: server.url().absoluteString, method: .POST, body: body)
            let transfer = Transfer(idleTimeout: .seconds(600), lingering: .zero, isProxied: false)
            let answer = try await transfer.answer(to: request, from: client, isUpload: true) { false }
            #expect(answer.status == 200)
            rest.succeed()
            await #expect(throws: HTTPFailure.self) { try await answer.body.data() }
            try await client.shutdown()
        }
    }
}
