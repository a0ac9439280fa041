import NIOCore
import NIOHTTP1
import NIOPosix

/// A server on loopback that answers every call with the same bytes, as fast as one thread can.
struct StubServer: Sendable {
    let port: Int

    /// Runs it while something runs.
    static func run<R: Sendable>(
        answer: String, _ body: @Sendable (StubServer) async throws -> R
    ) async throws -> R {
        let bytes = ByteBuffer(string: answer)
        return try await serve({ Answerer(answer: bytes) }) { try await body(StubServer(port: $0)) }
    }

    /// Runs a server on loopback with a handler for each connection. The body gets its port.
    static func serve<R: Sendable>(
        _ handler: @escaping @Sendable () -> some ChannelHandler, _ body: (Int) async throws -> R
    ) async throws -> R {
        let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let channel = try await ServerBootstrap(group: threads)
            .serverChannelOption(.backlog, value: 1024)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: false)
                    try channel.pipeline.syncOperations.addHandler(handler())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let result: Result<R, any Error>
        do {
            result = .success(try await body(channel.localAddress?.port ?? 0))
        } catch {
            result = .failure(error)
        }
        try await channel.close()
        try await threads.shutdownGracefully()
        return try result.get()
    }

    private final class Answerer: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let answer: ByteBuffer
        private let head: HTTPResponseHead

        init(answer: ByteBuffer) {
            self.answer = answer
            head = HTTPResponseHead(
                version: .http1_1, status: .ok,
                headers: ["content-type": "application/json", "content-length": "\(answer.readableBytes)"])
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .end = unwrapInboundIn(data) else { return }
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(answer))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
