import DequeModule
import Dispatch
import Foundation
import Hablare
import HablareSupport

/// A queue that writes pieces to a channel one after another, on a separate thread.
///
/// If a pipe is full, a write blocks until the reader reads. The threads of Swift's concurrency must not block: there
/// may be only one of them, and the engine, its leases and the signals need it.
final class OutputQueue: Sendable {
    private struct State: Sendable {
        var waiting: Deque<Piece> = []
        var byteCount = 0
    }

    private struct Piece: Sendable {
        let data: Data
        let isPassing: Bool
        let ended: @Sendable (Result<Void, any Error>) -> Void
    }

    private let channel: OutputChannel
    private let queue: DispatchQueue
    private let state = Locked(State())

    init(_ channel: OutputChannel, name: String) {
        self.channel = channel
        queue = DispatchQueue(label: "hablare.\(name)")
    }

    var unwrittenBytes: Int { state.withLock { $0.byteCount } }

    /// Enqueues a piece without waiting. If a passing piece directly follows another passing piece that is not yet
    /// written, the older of the two is left out, and its `ended` is not called. So progress takes no memory while the
    /// output is not read.
    func put(_ data: Data, isPassing: Bool = false, ended: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        let piece = Piece(data: data, isPassing: isPassing, ended: ended)
        let replacesLast = state.withLock { state in
            state.byteCount += data.count
            guard isPassing, let last = state.waiting.last, last.isPassing else {
                state.waiting.append(piece)
                return false
            }
            state.byteCount -= last.data.count
            state.waiting[state.waiting.count - 1] = piece
            return true
        }
        if !replacesLast { queue.async { self.writeNext() } }
    }

    private func writeNext() {
        guard let next = state.withLock({ $0.waiting.popFirst() }) else { return }
        let result = Result { try channel.write(next.data) }
        state.withLock { $0.byteCount -= next.data.count }
        next.ended(result)
    }

    /// Writes a piece and waits until it is written.
    func write(_ data: Data) async throws {
        let end = AsyncThrowingStream.makeStream(of: Void.self, throwing: (any Error).self)
        put(data) { result in
            switch result {
            case .success:
                end.continuation.yield()
                end.continuation.finish()
            case .failure(let error): end.continuation.finish(throwing: error)
            }
        }
        for try await _ in end.stream { return }
        throw CancellationError()
    }

    func drain() async {
        guard unwrittenBytes > 0 else { return }
        let end = AsyncStream.makeStream(of: Void.self)
        queue.async { end.continuation.finish() }
        for await _ in end.stream {}
    }
}

struct OutputChannel: Sendable {
    let write: @Sendable (Data) throws -> Void
}

extension OutputChannel {
    init(descriptor: Int32, name: String) {
        self.init { data in
            try data.withUnsafeBytes { bytes in
                var remainder = bytes[...]
                while !remainder.isEmpty {
                    let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: remainder))
                    if count < 0 {
                        if errno == EINTR { continue }
                        if errno == EPIPE { throw CommandFailure(.brokenPipe, "The reader of the output closed it.") }
                        let reason = String(cString: strerror(errno))
                        throw CommandFailure(.inputOutput, "Cannot write to \(name): \(reason).")
                    }
                    remainder = remainder.dropFirst(count)
                }
            }
        }
    }
}

func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
