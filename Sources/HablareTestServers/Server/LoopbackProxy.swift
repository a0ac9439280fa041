import Foundation
import Hablare
import HablareSupport
import NIOCore
import NIOPosix

/// A real proxy on 127.0.0.1. It supports only HTTP's `CONNECT`, and records the requested targets.
package struct LoopbackProxy: Sendable {
    /// The port, which the system chose.
    package let port: Int
    private let log: Locked<[String]>

    /// The requested targets, in order, such as `localhost:49152`.
    package var targets: [String] { log.withLock { $0 } }

    /// Runs a proxy during a closure.
    ///
    /// - Parameters:
    ///   - authorization: The required `Proxy-Authorization`. Clients with another value get status 407. Default:
    ///     `nil`, for no requirement.
    ///   - status: The status for all other clients. Default: 200, after which the proxy connects the client.
    ///   - body: The closure that uses the proxy.
    package static func withProxy<R>(
        authorization: String? = nil, status: Int = 200, _ body: (LoopbackProxy) async throws -> R
    ) async throws -> R {
        let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let result: Result<R, any Error>
        do {
            result = .success(try await run(on: threads, authorization: authorization, status: status, body))
        } catch {
            result = .failure(error)
        }
        try await threads.shutdownGracefully()
        return try result.get()
    }

    private typealias Wire = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    private static func run<R>(
        on threads: MultiThreadedEventLoopGroup, authorization: String?, status: Int,
        _ body: (LoopbackProxy) async throws -> R
    ) async throws -> R {
        let listener = try await ServerBootstrap(group: threads)
            .childChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0) { $0.eventLoop.makeSucceededFuture($0) }
        let log = Locked<[String]>([])
        let proxy = LoopbackProxy(port: listener.channel.localAddress?.port ?? 0, log: log)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await listener.executeThenClose { connections in
                    await withTaskGroup(of: Void.self) { serving in
                        do {
                            for try await client in connections {
                                serving.addTask {
                                    await serve(client, threads, authorization: authorization, status: status, log)
                                }
                            }
                        } catch {
                            return
                        }
                    }
                }
            }
            defer { group.cancelAll() }
            return try await body(proxy)
        }
    }

    private static func serve(
        _ accepted: any Channel, _ threads: MultiThreadedEventLoopGroup, authorization: String?, status: Int,
        _ log: Locked<[String]>
    ) async {
        do {
            let client = try await accepted.readAsync { try Wire(wrappingChannelSynchronously: $0) }
            try await client.executeThenClose { fromClient, toClient in
                var pieces = fromClient.makeAsyncIterator()
                var head = ""
                while !head.hasSuffix("\r\n\r\n") {
                    guard let piece = try await pieces.next(isolation: #isolation) else { return }
                    head += String(decoding: piece.readableBytesView, as: UTF8.self)
                }
                let lines = head.split(separator: "\r\n").map(String.init)
                let words = (lines.first ?? "").split(separator: " ").map(String.init)
                guard words.count == 3, words[0] == "CONNECT", let colon = words[1].lastIndex(of: ":"),
                    let port = Int(words[1][words[1].index(after: colon)...])
                else { return try await toClient.write(ByteBuffer(string: "HTTP/1.1 405 \r\n\r\n")) }
                log.withLock { $0.append(words[1]) }
                let said = lines.first { $0.lowercased().hasPrefix("proxy-authorization:") }?
                    .drop { $0 != " " }.dropFirst()
                if let authorization, said.map(String.init) != authorization {
                    return try await toClient.write(ByteBuffer(string: "HTTP/1.1 407 \r\ncontent-length: 0\r\n\r\n"))
                }
                guard status == 200 else {
                    return try await toClient.write(
                        ByteBuffer(string: "HTTP/1.1 \(status) \r\ncontent-length: 0\r\n\r\n"))
                }
                let server = try await ClientBootstrap(group: threads)
                    .connect(host: "127.0.0.1", port: port) { channel in
                        channel.eventLoop.makeCompletedFuture { try Wire(wrappingChannelSynchronously: channel) }
                    }
                try await server.executeThenClose { fromServer, toServer in
                    try await toClient.write(ByteBuffer(string: "HTTP/1.1 200 \r\n\r\n"))
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask {
                            for try await piece in fromServer { try await toClient.write(piece) }
                            client.channel.close(promise: nil)
                        }
                        while let piece = try await pieces.next(isolation: #isolation) {
                            try await toServer.write(piece)
                        }
                        // One side has ended, so the other one is closed, too.
                        group.cancelAll()
                    }
                }
            }
        } catch {
            // Both ends of the connection see its failure themselves.
            return
        }
    }
}
