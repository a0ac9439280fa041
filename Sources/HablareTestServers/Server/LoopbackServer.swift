package import Foundation
import Hablare
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A real HTTP/1.1 server on 127.0.0.1. It answers as a test specifies, and records its calls.
///
/// The server exists while the closure that receives it runs. When the closure has ended, every connection is closed
/// and every thread has ended.
package struct LoopbackServer: Sendable {
    /// The port, which the system chose.
    package let port: Int
    /// Whether the server uses TLS.
    package let isSecure: Bool
    private let log: CallLog

    /// Runs a server during a closure.
    ///
    /// - Parameters:
    ///   - tls: The server's certificate. Default: `nil`, for a server without TLS.
    ///   - respond: A closure that answers a call whose body has arrived. Calls on several connections are answered
    ///     concurrently. If the closure throws an error, the connection ends.
    ///   - body: The closure that uses the server.
    /// - Returns: The result of `body`.
    /// - Throws: The errors of `body`. The system's error if no port is available.
    package static func withServer<R>(
        tls: ServerTLS? = nil, _ respond: @escaping @Sendable (ReceivedCall) async throws -> ServerReply,
        _ body: (LoopbackServer) async throws -> R
    ) async throws -> R {
        try await withServer(tls: tls, beforeBody: { _ in nil }, respond, body)
    }

    /// Runs a server that may answer a call as soon as the head has arrived, like a server that refuses large uploads.
    /// The connection ends after such a reply.
    ///
    /// Otherwise, the method behaves like ``withServer(tls:_:_:)``.
    package static func withServer<R>(
        tls: ServerTLS? = nil, beforeBody: @escaping @Sendable (ReceivedCall) -> ServerReply?,
        _ respond: @escaping @Sendable (ReceivedCall) async throws -> ServerReply,
        _ body: (LoopbackServer) async throws -> R
    ) async throws -> R {
        let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let result: Result<R, any Error>
        do {
            result = .success(
                try await run(on: threads, tls: tls, beforeBody: beforeBody, respond: respond, body: body))
        } catch {
            result = .failure(error)
        }
        try await threads.shutdownGracefully()
        return try result.get()
    }

    /// The server's address, such as `http://127.0.0.1:49152`. With TLS, the address has the name `localhost`, such as
    /// `https://localhost:49152`, because the certificate is for `localhost`.
    package var base: String { isSecure ? "https://localhost:\(port)" : "http://127.0.0.1:\(port)" }

    /// Returns the URL of a path.
    package func url(_ path: String = "/") throws -> URL {
        guard let url = URL(string: base + path) else { throw URLError(.badURL) }
        return url
    }

    /// The calls that have arrived so far, in order.
    package var calls: [RecordedCall] { log.calls }

    /// The number of connections that were accepted so far.
    package var connectionCount: Int { log.connectionCount }

    /// Waits until at least `count` calls have arrived completely. Returns all calls.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    package func calls(atLeast count: Int) async throws(CancellationError) -> [RecordedCall] {
        try await log.reach(count)
    }

    /// Waits for the call with a number, from 0.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    package func call(_ number: Int) async throws(CancellationError) -> RecordedCall {
        try await log.reach(number + 1)[number]
    }

    private static func run<R>(
        on threads: MultiThreadedEventLoopGroup, tls: ServerTLS?,
        beforeBody: @escaping @Sendable (ReceivedCall) -> ServerReply?,
        respond: @escaping @Sendable (ReceivedCall) async throws -> ServerReply,
        body: (LoopbackServer) async throws -> R
    ) async throws -> R {
        let context = try tls?.context()
        let listener = try await ServerBootstrap(group: threads)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0) { $0.eventLoop.makeSucceededFuture($0) }
        let log = CallLog()
        let server = LoopbackServer(
            port: listener.channel.localAddress?.port ?? 0, isSecure: tls != nil, log: log)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await listener.executeThenClose { connections in
                    await withTaskGroup(of: Void.self) { serving in
                        do {
                            for try await channel in connections {
                                let connection = ServerConnection(
                                    channel: channel, context: context, number: log.connected(), log: log,
                                    respond: respond, beforeBody: beforeBody)
                                serving.addTask { await connection.serve() }
                            }
                        } catch {
                            return
                        }
                    }
                }
            }
            defer { group.cancelAll() }
            return try await body(server)
        }
    }
}
