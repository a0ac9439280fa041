import GRDB

/// The items of one transaction.
struct BatchChunk<Item: Sendable, Output: Sendable> {
    /// The error that stops a batch. The number of committed items is added later.
    struct Stopped: Error {
        let index: Int?
        let cause: any Error
    }

    let items: ArraySlice<Item>
    let policy: BatchOptions.Policy
    let apply: @Sendable (Database, Item) throws -> Output

    func write(_ db: Database) throws -> [Result<Output, BatchFailure>] {
        var outcomes: [Result<Output, BatchFailure>] = []
        outcomes.reserveCapacity(items.count)
        for index in items.indices {
            do {
                outcomes.append(.success(try write(items[index], db)))
            } catch let error as CancellationError {
                throw error
            } catch {
                if !Self.isOfItem(error, db) {
                    throw Self.isInterruption(error) ? error : Stopped(index: nil, cause: error)
                }
                guard policy == .skip else { throw Stopped(index: index, cause: error) }
                outcomes.append(
                    .failure(BatchFailure(index: index, committed: items.startIndex, cause: error)))
            }
        }
        return outcomes
    }

    private func write(_ item: Item, _ db: Database) throws -> Output {
        guard policy == .skip else { return try apply(db, item) }
        // The writes of an item that fails are undone with it.
        var output: Output?
        try db.inSavepoint {
            output = try apply(db, item)
            return .commit
        }
        guard let output else { throw DatabaseError(resultCode: .SQLITE_ABORT) }  // it was set or thrown
        return output
    }

    /// Returns whether an error concerns only one item, so that the next item may succeed. A failure of the file ends
    /// the transaction, and so the whole chunk fails.
    private static func isOfItem(_ error: any Error, _ db: Database) -> Bool {
        guard let error = error as? DatabaseError else { return db.isInsideTransaction }
        return db.isInsideTransaction && !isInterruption(error) && AppDatabaseError(knownOf: error, "") == nil
    }

    /// Returns whether an error means that the cancellation of the task interrupted the transaction. GRDB then throws
    /// its own cancellation error.
    private static func isInterruption(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.resultCode == .SQLITE_INTERRUPT
    }
}
