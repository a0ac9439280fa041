import Foundation
import NIOCore
import NIOPosix

/// A connection on which a test sends what it likes.
struct RawClient: Sendable {
    private let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// Connects, runs a body, and closes.
    static func with<Value: Sendable>(
        _ host: String = "127.0.0.1", port: Int,
        _ body:
            @Sendable (NIOAsyncChannelInboundStream<ByteBuffer>, NIOAsyncChannelOutboundWriter<ByteBuffer>)
            async throws -> Value
    ) async throws -> Value {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await body(inbound, outbound)
        }
    }

    /// Sends text, and returns everything that the server sends until it closes the connection.
    static func exchange(_ text: String, _ host: String = "127.0.0.1", port: Int) async throws -> String {
        try await with(host, port: port) { inbound, outbound in
            var answer = ByteBuffer()
            do {
                try await outbound.write(ByteBuffer(string: text))
            } catch is ChannelError {
                // The server closed the connection at once. It may have said why.
            } catch is IOError {}
            do {
                for try await var part in inbound { answer.writeBuffer(&part) }
            } catch is IOError {
                // The server reset the connection. What it had sent counts.
            }
            return String(buffer: answer)
        }
    }
}
