import Foundation

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
