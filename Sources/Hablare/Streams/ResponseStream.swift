public import Foundation

/// The stream of a request's answer, which can be read while the answer is generated and afterwards. See
/// ``AIRequestManager/stream(for:from:)``.
///
/// Every iteration reads independently, from the given position. Elements are read on demand, so a slow reader costs no
/// more memory than one page. Leaving the loop or cancelling the task ends the reading, not the request.
public struct ResponseStream: AsyncSequence, Sendable {
    /// A chunk, a restart, or the end.
    public typealias Element = StreamElement

    /// An iterator that reads the stream.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let reader: StreamReader

        init(_ reader: StreamReader) {
            self.reader = reader
        }

        /// Returns the next element; `nil` after the last one.
        ///
        /// - Throws: The error of a failed request, after all its chunks. ``AIServiceError``: `cancelled` if the
        ///   request was cancelled; `responseExpired` if the answer is no longer stored; `contentMissing` if its
        ///   content file is gone or damaged; `suspended` if the engine shuts down or is suspended in the background
        ///   before the end; `unknownRequest` if the request was deleted, even if its UUID was submitted again after
        ///   something was read; or an error of category storage. `CancellationError` if the task is cancelled. After
        ///   an error the stream is over.
        public mutating func next() async throws -> StreamElement? {
            try await reader.next()
        }
    }

    private let manager: AIRequestManager
    private let id: UUID
    private let position: StreamPosition

    init(_ manager: AIRequestManager, _ id: UUID, from position: StreamPosition) {
        self.manager = manager
        self.id = id
        self.position = position
    }

    /// Creates an independent reader of the stream.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(StreamReader(manager, id, from: position))
    }
}

extension AIRequestManager {
    /// Returns a stream of the chunks of a request's answer. It follows an answer that any process is generating, and
    /// replays a finished one.
    ///
    /// The stream first yields the existing chunks, then the new ones, then the end: ``StreamElement/completed(_:)`` or
    /// an error. A completed answer has the same chunks as while it was generated. An answer that its provider returned
    /// in one piece is cut into chunks. The output of a failed or cancelled request stays readable until the request is
    /// deleted or retried.
    ///
    /// Any number of readers may read, each at its own pace. A slow reader costs bounded memory and does not delay
    /// others. Leaving a stream does not cancel the request.
    ///
    /// - Parameters:
    ///   - id: The request's id.
    ///   - position: The position to start from. A returning reader passes the position after its last chunk. If the
    ///     answer has started over since, the reader gets ``StreamElement/restarted(generation:)`` and then the answer
    ///     from its start. Default: the first chunk.
    /// - Throws: ``AIServiceError``: `unknownRequest`, or an error of category storage. For errors while reading see
    ///   ``ResponseStream/AsyncIterator/next()``.
    public func stream(
        for id: UUID, from position: StreamPosition = .start
    ) async throws -> ResponseStream {
        guard try await journal.read({ try !$0.snapshots(SnapshotFilter(ids: [id], limit: 1)).isEmpty }) else {
            throw await journal.notFound(id)
        }
        return ResponseStream(self, id, from: position)
    }
}
