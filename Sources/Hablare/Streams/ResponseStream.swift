public import Foundation

/// The answer of a request as it is made, or as it was made: see ``AIRequestManager/stream(for:from:)``.
///
/// Every iteration reads by itself, from the position that was asked for. Elements are read when they are asked for,
/// so a slow reader costs no memory but one page. Leaving the loop, or cancelling the task, ends the reading, not the
/// request.
public struct ResponseStream: AsyncSequence, Sendable {
    /// A chunk, a restart, or the end.
    public typealias Element = StreamElement

    /// Reads.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let reader: StreamReader

        init(_ reader: StreamReader) {
            self.reader = reader
        }

        /// The next element; `nil` after the last one.
        ///
        /// - Throws: The error of a failed request, after everything that came before it; ``AIServiceError``:
        ///   `cancelled` when the request was cancelled; `responseExpired` when the answer is not kept any more;
        ///   `contentMissing` when its content file is gone or damaged; `suspended` when the engine shuts down, or begins
        ///   to rest in the background, before the end; `unknownRequest` when the request was deleted, also when its UUID
        ///   was submitted anew after something was read; or of category storage. `CancellationError` when the task is
        ///   cancelled. After an error nothing follows.
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

    /// Begins to read.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(StreamReader(manager, id, from: position))
    }
}

extension AIRequestManager {
    /// Reads a request's answer chunk by chunk, while it is made, by whichever process, or afterwards.
    ///
    /// What came before is told first, then what comes, then the end: ``StreamElement/completed(_:)``, or an error. The
    /// chunks of a completed answer are the same as they came; an answer that its provider gave in one piece is cut
    /// into chunks. What a failed or cancelled request streamed stays readable until it is deleted or retried. Any
    /// number may read, each at its own pace; a slow reader costs bounded memory and holds up nobody. Leaving a stream
    /// does not cancel the request.
    ///
    /// - Parameters:
    ///   - id: The request.
    ///   - position: Where to begin: the position after the last chunk that was read, for a reader who comes back. Where
    ///     the answer was begun anew meanwhile, the reader is told, and gets it from its start. Default: the first chunk.
    /// - Throws: ``AIServiceError``: `unknownRequest`, or of category storage. What reading throws, the iterator says:
    ///   ``ResponseStream/AsyncIterator/next()``.
    public func stream(
        for id: UUID, from position: StreamPosition = .start
    ) async throws -> ResponseStream {
        guard try await journal.read({ try !$0.snapshots(SnapshotFilter(ids: [id], limit: 1)).isEmpty }) else {
            throw AIServiceError.unknown(id)
        }
        return ResponseStream(self, id, from: position)
    }
}
