public import GRDB

extension AppDatabase {
    /// Inserts many records, in chunks, off the caller's actor. Each chunk is one transaction.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - options: The options. Default: 500 records in a transaction, and a stop at the first failure.
    /// - Returns: For each record, the record as it was inserted, including the key that the database assigned. If a
    ///   record could not be inserted, its failure.
    /// - Throws: ``BatchFailure`` if the batch stops. `CancellationError` if the task is cancelled. After an error,
    ///   each chunk is either committed completely or not at all.
    @concurrent
    @discardableResult
    public func insert<Record: MutablePersistableRecord & Sendable>(
        _ records: [Record], options: BatchOptions = BatchOptions()
    ) async throws -> BatchResult<Record> {
        try await batch(records, options: options) { db, record in
            var record = record
            try record.insert(db)
            return record
        }
    }

    /// Updates many records, in chunks, off the caller's actor. Each chunk is one transaction. A record that does not
    /// exist is a failure: GRDB's `RecordError.recordNotFound`.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - options: The options. Default: 500 records in a transaction, and a stop at the first failure.
    /// - Returns: For each record, success or its failure.
    /// - Throws: ``BatchFailure`` if the batch stops. `CancellationError` if the task is cancelled. After an error,
    ///   each chunk is either committed completely or not at all.
    @concurrent
    @discardableResult
    public func update<Record: MutablePersistableRecord & Sendable>(
        _ records: [Record], options: BatchOptions = BatchOptions()
    ) async throws -> BatchResult<Void> {
        try await batch(records, options: options) { db, record in try record.update(db) }
    }

    /// Deletes many records, in chunks, off the caller's actor. Each chunk is one transaction.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - options: The options. Default: 500 records in a transaction, and a stop at the first failure.
    /// - Returns: For each record, whether it existed, or its failure.
    /// - Throws: ``BatchFailure`` if the batch stops. `CancellationError` if the task is cancelled. After an error,
    ///   each chunk is either committed completely or not at all.
    @concurrent
    @discardableResult
    public func delete<Record: MutablePersistableRecord & Sendable>(
        _ records: [Record], options: BatchOptions = BatchOptions()
    ) async throws -> BatchResult<Bool> {
        try await batch(records, options: options) { db, record in try record.delete(db) }
    }

    /// Applies a closure to each of many items, in chunks, off the caller's actor. Each chunk is one transaction.
    ///
    /// - Parameters:
    ///   - items: The items.
    ///   - options: The options. Default: 500 items in a transaction, and a stop at the first failure.
    ///   - apply: A closure that writes an item. If it throws an error, the writes for this item are undone.
    /// - Returns: For each item, the result of `apply` or the item's failure.
    /// - Throws: ``BatchFailure`` if the batch stops. `CancellationError` if the task is cancelled. After an error,
    ///   each chunk is either committed completely or not at all.
    @concurrent
    public func batch<Item: Sendable, Output: Sendable>(
        _ items: [Item], options: BatchOptions = BatchOptions(),
        _ apply: @escaping @Sendable (_ db: Database, _ item: Item) throws -> Output
    ) async throws -> BatchResult<Output> {
        var outcomes: [Result<Output, BatchFailure>] = []
        outcomes.reserveCapacity(items.count)
        let size = min(max(1, options.chunkSize), max(1, items.count))
        for start in stride(from: 0, to: items.count, by: size) {
            try Task.checkCancellation()
            let chunk = BatchChunk(
                items: items[start..<min(start + size, items.count)], policy: options.onFailure, apply: apply)
            do {
                outcomes += try await write(chunk.write)
            } catch let error as BatchChunk<Item, Output>.Stopped {
                throw BatchFailure(index: error.index, committed: start, cause: error.cause)
            } catch let error as CancellationError {
                throw error
            } catch {
                // If the task was cancelled, the error comes from the interruption.
                try Task.checkCancellation()
                throw BatchFailure(index: nil, committed: start, cause: error)
            }
            options.progress?(outcomes.count)
        }
        return BatchResult(outcomes: outcomes)
    }
}
