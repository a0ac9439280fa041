public import Foundation

/// The stream of a request's answer. You can read the stream while the answer is generated, and again when the answer
/// is complete. See ``AIRequestManager/stream(for:from:)``.
///
/// Each iteration is independent and begins at the position that was given to ``AIRequestManager/stream(for:from:)``.
/// Elements are read on demand, so a slow reader holds at most one page of chunks in memory. If you leave the loop or
/// cancel the task, the reading ends, and the request continues.
public struct ResponseStream: AsyncSequence, Sendable {
    /// A chunk, a restart, or the completed answer.
    public typealias Element = StreamElement

    /// An iterator that reads the stream.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let reader: StreamReader

        init(_ reader: StreamReader) {
            self.reader = reader
        }

        /// Returns the next element. Returns `nil` after the last element. After an error, the stream has ended.
        ///
        /// - Throws: If the request failed, its error. All chunks of the request come before the error.
        ///   `CancellationError` if the task is cancelled. An ``AIServiceError`` of category storage, or with one of
        ///   these codes:
        ///   - `cancelled`: the request was cancelled.
        ///   - `responseExpired`: the answer is no longer stored.
        ///   - `contentMissing`: the content file of the answer is missing or damaged.
        ///   - `suspended`: the engine shuts down, or is suspended in the background, before the end.
        ///   - `unknownRequest`: the request was deleted. This error is also thrown if the same UUID was submitted
        ///     again after an element was read.
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
    /// Returns a stream of the chunks of a request's answer. You can read it in any process on the store. While a
    /// process generates the answer, the stream follows it. If the answer is finished, the stream replays it.
    ///
    /// The existing chunks come first, and the new chunks follow. It ends with ``StreamElement/completed(_:)`` or an
    /// error. When you read a completed answer, it has the same chunks as during its generation. If the provider
    /// returned the answer in one piece, the answer is cut into chunks. The output of a failed or cancelled request
    /// stays readable until the request is deleted or retried.
    ///
    /// Any number of readers may read at the same time, each at its own pace. A slow reader needs bounded memory and
    /// does not delay other readers. If you stop reading, the request continues.
    ///
    /// - Parameters:
    ///   - id: The request's id.
    ///   - position: The position to start from. To continue an interrupted reading, pass the position after the last
    ///     chunk that you have read. If the answer was restarted after this chunk, the stream yields
    ///     ``StreamElement/restarted(generation:)`` and then the new answer from its start. Default: the first chunk.
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
