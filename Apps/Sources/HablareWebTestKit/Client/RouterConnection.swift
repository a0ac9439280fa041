import HTTPTypes
import HablareWeb
import Hummingbird
import NIOCore
import NIOEmbedded

/// Calls a router directly.
struct RouterConnection: FaceConnection {
    let authority = "127.0.0.1:4747"
    private let server: FaceServer
    private let readers: BodyReaders

    /// Gives an operation a connection. Its responses end with it.
    static func with<Value: Sendable>(
        _ server: FaceServer, _ operation: @escaping @Sendable (RouterConnection) async throws -> Value
    ) async throws -> Value {
        try await BodyReaders.with { readers in
            try await operation(RouterConnection(server: server, readers: readers))
        }
    }

    func send(_ request: HTTPRequest, body: ByteBuffer?) async throws -> (head: HTTPResponse, body: FaceBody) {
        let channel = NIOAsyncTestingChannel()
        channel.localAddress = try SocketAddress(ipAddress: "127.0.0.1", port: 4747)
        let context = FaceContext(source: ApplicationRequestContextSource(channel: channel, logger: server.logger))
        let response = try await server.responder.respond(
            to: Request(head: request, body: RequestBody(buffer: body ?? ByteBuffer())), context: context)
        return (response.head, readers.body { parts in try await response.body.write(Writer(parts: parts)) })
    }

    private struct Writer: ResponseBodyWriter {
        let parts: FaceBody.Continuation

        func write(_ buffer: ByteBuffer) async throws {
            if case .terminated = parts.yield(buffer) { throw CancellationError() }
        }

        func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}
