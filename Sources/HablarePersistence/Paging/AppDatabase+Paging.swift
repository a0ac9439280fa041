import GRDB

extension AppDatabase {
    /// Reads a page, off the caller's actor.
    ///
    /// - Parameters:
    ///   - position: The page to read. Default: the first page.
    ///   - query: The query.
    /// - Throws: ``PagingError``. The errors of reading and decoding. `CancellationError` if the task is cancelled.
    @concurrent
    public func page<Record>(
        _ position: PagePosition = .first, of query: PagedQuery<Record>
    ) async throws -> Page<Record> {
        try await read { db in try query.page(position, in: db) }
    }
}
