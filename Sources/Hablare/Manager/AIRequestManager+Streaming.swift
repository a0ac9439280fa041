public import Foundation

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
            throw try await notFound(id)
        }
        return ResponseStream(self, id, from: position)
    }
}
