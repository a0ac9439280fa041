import NIOCore
import Synchronization

/// A file that is still being written, such as audio that is being made. Readers at its end wait for more.
///
/// The writer reports its progress with ``grew(to:)`` and then ``finish()`` or ``fail(_:)``.
public final class GrowingMediaFile: Sendable {
    private struct State {
        var extent = MediaExtent(count: 0, isComplete: false)
        var failure: MediaFileError?
        var waiters: [Int: AsyncStream<Void>.Continuation] = [:]
        var nextWaiter = 0
    }

    private let file: OpenFile
    private let state = Mutex(State())

    /// Takes over an open file.
    ///
    /// - Parameter descriptor: A descriptor of a regular file that can be read. This object closes it.
    public init(descriptor: Int32) { file = OpenFile(descriptor) }

    /// Reports that the file's first bytes are written. A smaller number than before changes nothing.
    public func grew(to count: Int) {
        change { state in
            if !state.extent.isComplete { state.extent.count = max(state.extent.count, count) }
        }
    }

    /// Reports that the file is complete.
    public func finish() { change { $0.extent.isComplete = true } }

    /// Reports that no more bytes will come. Readers at the end lose their connection, so that they do not take the
    /// file for complete.
    public func fail(_ error: MediaFileError) { change { $0.failure = error } }

    private func change(_ body: (inout State) -> Void) {
        let waiters = state.withLock { state in
            body(&state)
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.yield() }
    }
}

extension GrowingMediaFile: MediaBytes {
    var extent: MediaExtent { state.withLock { $0.extent } }

    func extent(beyond count: Int) async throws -> MediaExtent {
        let (wakes, waiter) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.nextWaiter += 1
            state.waiters[state.nextWaiter] = waiter
            return state.nextWaiter
        }
        defer { state.withLock { $0.waiters[number] = nil } }
        waiter.yield()
        for await _ in wakes {
            let (extent, failure) = state.withLock { ($0.extent, $0.failure) }
            if extent.count > count || extent.isComplete { return extent }
            if let failure { throw failure }
        }
        throw CancellationError()
    }

    func read(_ range: Range<Int>) async throws -> ByteBuffer { try await file.read(range) }
}
