import GRDB

extension AppDatabase {
    /// Reads a page, away from the caller's actor.
    ///
    /// - Parameters:
    ///   - position: Which page. Default: the first.
    ///   - query: The query.
    /// - Throws: ``PagingError``; what reading and decoding throws; `CancellationError` when the task is cancelled.
    @concurrent
    public func page<Record>(
        _ position: PagePosition = .first, of query: PagedQuery<Record>
    ) async throws -> Page<Record> {
        try await read { db in try query.page(position, in: db) }
    }
}
