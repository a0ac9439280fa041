public import Foundation

/// The stream of a request's answer. You can read it while the answer is generated, and afterwards. See
/// ``AIRequestManager/stream(for:from:)``.
///
/// Every iteration reads independently, from the given position. Elements are read on demand, so a slow reader needs no
/// more memory than one page. If you leave the loop or cancel the task, the reading ends, and the request continues.
public struct ResponseStream: AsyncSequence, Sendable {
    /// A chunk, a restart, or the end.
    public typealias Element = StreamElement

    /// An iterator that reads the stream.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let reader: StreamReader

        init(_ reader: StreamReader) {
            self.reader = reader
        }

        /// Returns the next element. Returns `nil` after the last element.
        ///
        /// - Throws: If the request failed, its error, after all its chunks. `CancellationError` if the task is
        ///   cancelled. ``AIServiceError`` with one of these codes or an error of category storage. After an error the
        ///   stream is over.
        ///   - `cancelled`: the request was cancelled.
        ///   - `responseExpired`: the answer is no longer stored.
        ///   - `contentMissing`: the content file of the answer is missing or damaged.
        ///   - `suspended`: the engine shuts down, or is suspended in the background, before the end.
        ///   - `unknownRequest`: the request was deleted. Also thrown if its UUID was submitted again after an element
        ///     was read.
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
    /// Returns a stream of the chunks of a request's answer. The stream follows an answer while any process generates
    /// it, and replays a finished answer.
    ///
    /// The stream first yields the existing chunks and then the new chunks. It ends with
    /// ``StreamElement/completed(_:)`` or an error. A completed answer has the same chunks as while it was generated.
    /// If the provider returned the answer in one piece, the answer is cut into chunks. The output of a failed or
    /// cancelled request stays readable until the request is deleted or retried.
    ///
    /// Any number of readers may read, each at its own pace. A slow reader needs bounded memory and does not delay
    /// other readers. Leaving a stream does not cancel the request.
    ///
    /// - Parameters:
    ///   - id: The request's id.
    ///   - position: The position to start from. A reader that resumes passes the position after its last chunk. If the
    ///     answer was restarted after this chunk, the reader gets ``StreamElement/restarted(generation:)`` and then the
    ///     new answer from its start. Default: the first chunk.
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
