import AsyncHTTPClient
import Foundation
import Hablare
import HablareProviders
import NIOCore
import NIOPosix

/// The body of a call in the client library's form. Its length is known. It is read while it is sent, so that a large
/// file is never completely in memory. Each piece that the server accepts restarts the idle timeout.
enum Upload {
    /// The number of bytes that are read and sent at once: 64 KiB.
    static let step = 64 << 10

    /// An error: the content to send cannot be read.
    struct Unreadable: Error {
        let cause: String
    }

    /// Reads one byte of each content file, before anything is sent.
    static func check(_ body: HTTPBody) async throws {
        guard case .pieces(let bodies) = body else { return }
        let stored = bodies.filter { $0.reference != nil && $0.byteCount > 0 }
        guard !stored.isEmpty else { return }
        try await NIOThreadPool.singleton.runIfActive {
            for body in stored { _ = try read(body, 0..<1) }
        }
    }

    /// Returns whether a body is sent piece by piece. Returns `false` only for a small body in memory.
    static func isStreamed(_ body: HTTPBody) -> Bool {
        switch body {
        case .none: false
        case .bytes(let data): data.count > step
        case .pieces: body.byteCount > 0
        }
    }

    /// Returns the body in the library's form; `nil` if there is no body.
    static func body(_ body: HTTPBody) -> HTTPClient.Body? {
        switch body {
        case .none: nil
        case _ where body.byteCount == 0: nil
        case .bytes(let data) where !isStreamed(body): .byteBuffer(ByteBuffer(bytes: data))
        case .bytes(let data): stream([Body(data)], length: data.count)
        case .pieces(let bodies): stream(bodies, length: body.byteCount)
        }
    }

    private static func stream(_ bodies: [Body], length: Int) -> HTTPClient.Body {
        .stream(contentLength: Int64(length)) { writer in
            let whole = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
            send(bodies[...], from: 0, to: writer, whole)
            return whole.futureResult
        }
    }

    /// Sends the next bytes. Continues when the connection can accept more bytes.
    private static func send(
        _ bodies: ArraySlice<Body>, from offset: Int, to writer: HTTPClient.Body.StreamWriter,
        _ whole: EventLoopPromise<Void>
    ) {
        guard let body = bodies.first(where: { $0.byteCount > 0 }) else { return whole.succeed() }
        guard offset < body.byteCount else {
            return send(bodies.drop { $0.byteCount == 0 }.dropFirst(), from: 0, to: writer, whole)
        }
        let range = offset..<min(offset + step, body.byteCount)
        let loop = whole.futureResult.eventLoop
        let bytes: EventLoopFuture<ByteBuffer> =
            if body.reference == nil {
                loop.makeCompletedFuture { try read(body, range) }
            } else {
                // A content file is read on a thread that may block.
                NIOThreadPool.singleton.runIfActive(eventLoop: loop) { try read(body, range) }
            }
        bytes.flatMap { writer.write(.byteBuffer($0)) }.whenComplete { result in
            switch result {
            // Through the loop's queue, because a connection that can always take more would cause deep recursion.
            case .success: loop.execute { send(bodies, from: range.upperBound, to: writer, whole) }
            case .failure(let error): whole.fail(error)
            }
        }
    }

    private static func read(_ body: Body, _ range: Range<Int>) throws -> ByteBuffer {
        let bytes: Data
        do {
            bytes = try body.read(range)
        } catch let error as AIServiceError {
            throw Unreadable(cause: error.code.rawValue)
        } catch {
            throw Unreadable(cause: "\(type(of: error))")
        }
        guard bytes.count == range.count else { throw Unreadable(cause: "fewer bytes than announced") }
        return ByteBuffer(bytes: bytes)
    }
}
