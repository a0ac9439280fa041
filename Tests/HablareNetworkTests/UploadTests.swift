import Foundation
import HTTPTypes
import Hablare
import HablareProviders
import HablareSupport
import HablareTestServers
import Testing

@testable import HablareNetwork

@Suite struct UploadTests {
    /// Content in a file that cannot be read from an offset on.
    private final class Files: ContentReading {
        let content: Data
        let readable: Int
        private let asked = Locked<[Range<Int>]>([])

        init(_ content: Data, readable: Int = .max) {
            self.content = content
            self.readable = readable
        }

        var ranges: [Range<Int>] { asked.withLock { $0 } }
        var body: Body {
            Body(ContentReference(digest: Data(repeating: 1, count: 32), byteCount: content.count), in: self)
        }

        func read(_ reference: ContentReference) throws -> Data { try read(reference, range: 0..<content.count) }

        func read(_ reference: ContentReference, range: Range<Int>) throws -> Data {
            asked.withLock { $0.append(range) }
            guard range.upperBound <= readable else { throw AIServiceError(.contentMissing, "gone") }
            return content[range]
        }

        func location(of reference: ContentReference) -> URL? { nil }
    }

    private static let film = Data((0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) })

    @Test(arguments: TransportKind.allCases)
    func `A body in pieces arrives as one, read a step at a time`(kind: TransportKind) async throws {
        let files = Files(Self.film)
        try await LoopbackServer.withServer { _ in
            .text(200, "")
        } _: { server in
            try await withTransport(kind) { transport in
                let body = HTTPBody.pieces([Body("head"), Body(Data()), files.body, Body(Data()), Body("tail")])
                _ = try await transport.send(HTTPCall(.post, server.url(), body: body))
                let call = try await server.call(0).call
                #expect(call.body == Data("head".utf8) + Self.film + Data("tail".utf8))
                #expect(call.field("content-length") == "\(Self.film.count + 8)")
                #expect(call.field("transfer-encoding") == nil)
                #expect(files.ranges.allSatisfy { $0.count <= Upload.step })
                // The network transport first reads one byte, to see whether the file is there.
                let ranges = kind == .network ? files.ranges.dropFirst() : files.ranges[...]
                #expect(ranges.reduce(0) { $0 + $1.count } == Self.film.count)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `Bytes that are here arrive, few and many`(kind: TransportKind) async throws {
        try await LoopbackServer.withServer { call in
            .bytes(200, call.body)
        } _: { server in
            try await withTransport(kind) { transport in
                for count in [0, 1, Upload.step, Upload.step + 1, 10 * Upload.step] {
                    let body = Self.film.prefix(count)
                    let answer = try await transport.send(HTTPCall(.post, server.url(), body: .bytes(body)))
                    let data = try await answer.body.data()
                    #expect(data == body, "\(count)")
                }
                #expect(server.calls.map { $0.call.field("content-length") }.first == "0")
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A file that is gone is told before anything is sent`(kind: TransportKind) async throws {
        try await LoopbackServer.withServer { _ in
            .text(200, "")
        } _: { server in
            try await withTransport(kind) { transport in
                let body = HTTPBody.pieces([Body("head"), Files(Self.film, readable: 0).body])
                let failure = try await failure(of: HTTPCall(.post, server.url(), body: body), over: transport)
                #expect(failure.reason == .unreadableBody)
                #expect(!failure.mayHaveArrived)
                #expect(server.connectionCount == 0)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A file that fails in the middle ends the call`(kind: TransportKind) async throws {
        try await LoopbackServer.withServer { _ in
            .text(200, "")
        } _: { server in
            try await withTransport(kind) { transport in
                let body = HTTPBody.pieces([Files(Self.film, readable: 500_000).body])
                let failure = try await failure(of: HTTPCall(.post, server.url(), body: body), over: transport)
                #expect(failure.reason == .unreadableBody)
                // URLSession sends a copy, which is made before.
                #expect(failure.mayHaveArrived == (kind == .network))
                #expect(server.calls.isEmpty, "the server never got the whole of it")
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A refusal in the middle of an upload is an answer`(kind: TransportKind) async throws {
        try await LoopbackServer.withServer(beforeBody: { _ in .text(413, "too large") }) { _ in
            .text(200, "")
        } _: { server in
            try await withTransport(kind) { transport in
                let body = HTTPBody.bytes(Data(count: 200_000))
                let answer = try await transport.send(HTTPCall(.post, server.url(), body: body))
                #expect(answer.status == 413)
            }
        }
    }
}
