import Dispatch
import Foundation
import Hablare

/// Writes to a channel on a thread of its own, one piece after another.
///
/// A write blocks for as long as the reader of a full pipe does not read. The threads of the cooperative pool must not:
/// there may be one of them only, and the engine, its leases and the signals need it.
final class OutputQueue: Sendable {
    private let channel: OutputChannel
    private let queue: DispatchQueue
    private let unwritten = Guarded(0)

    init(_ channel: OutputChannel, name: String) {
        self.channel = channel
        queue = DispatchQueue(label: "hablare.\(name)")
    }

    /// Writes a piece behind those that wait, and does not wait itself.
    ///
    /// - Parameter ended: Told how it went, on the queue's thread.
    func put(_ data: Data, ended: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        unwritten.withLock { $0 += 1 }
        queue.async { [channel, unwritten] in
            let result = Result { try channel.write(data) }
            unwritten.withLock { $0 -= 1 }
            ended(result)
        }
    }

    /// Writes a piece and waits until it is written.
    ///
    /// - Throws: ``CommandFailure``; `CancellationError` when the task is cancelled: the wait ends at once, and the
    ///   piece stays where it is, before all that comes later.
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

    /// Waits until nothing waits to be written, or the task is cancelled.
    func drain() async {
        guard unwritten.withLock({ $0 }) > 0 else { return }
        let end = AsyncStream.makeStream(of: Void.self)
        queue.async { end.continuation.finish() }
        for await _ in end.stream {}
    }
}
