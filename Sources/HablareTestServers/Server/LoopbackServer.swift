package import Foundation
import Hablare
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A real HTTP/1.1 server on 127.0.0.1 that answers as a test specifies, and records its calls.
///
/// It lives as long as the closure that receives it. At the closure's end every connection is closed and every thread
/// has ended.
package struct LoopbackServer: Sendable {
    /// The port, which the system chose.
    package let port: Int
    /// Whether it uses TLS.
    package let isSecure: Bool
    private let log: CallLog

    /// Runs a server while a closure runs.
    ///
    /// - Parameters:
    ///   - tls: The server's certificate. `nil`, the default, for a server without TLS.
    ///   - respond: Answers a call whose body has arrived. Calls on several connections are answered concurrently. An
    ///     error that it throws ends the connection.
    ///   - body: The closure to run with the server.
    /// - Returns: The result of `body`.
    /// - Throws: The errors of `body`, and the system's error if no port is available.
    package static func withServer<R>(
        tls: ServerTLS? = nil, _ respond: @escaping @Sendable (ReceivedCall) async throws -> ServerReply,
        _ body: (LoopbackServer) async throws -> R
    ) async throws -> R {
        try await withServer(tls: tls, beforeBody: { _ in nil }, respond, body)
    }

    /// Runs a server that may answer after only the head of a call, like one that refuses large uploads. The connection
    /// ends with such a reply.
    ///
    /// Otherwise the same as ``withServer(tls:_:_:)``.
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

    /// The server's address: `http://127.0.0.1:49152`, or `https://localhost:49152`, because its certificate is for
    /// that name.
    package var base: String { isSecure ? "https://localhost:\(port)" : "http://127.0.0.1:\(port)" }

    /// Returns the URL of a path.
    package func url(_ path: String = "/") throws -> URL {
        guard let url = URL(string: base + path) else { throw URLError(.badURL) }
        return url
    }

    /// The calls that have arrived so far, in their order.
    package var calls: [RecordedCall] { log.calls }

    /// The number of connections accepted so far.
    package var connectionCount: Int { log.connectionCount }

    /// Waits until at least `count` calls have arrived completely, and returns all of them.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    package func calls(atLeast count: Int) async throws(CancellationError) -> [RecordedCall] {
        try await log.reach(count)
    }

    /// Waits for a call by its number, from 0.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
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
