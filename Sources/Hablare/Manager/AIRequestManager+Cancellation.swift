public import Foundation
import Logging

extension AIRequestManager {
    /// The result of a cancellation.
    public enum CancelOutcome: Sendable, Hashable {
        /// The request is cancelled. No further attempt is sent. If an attempt is in flight, the store refuses its
        /// outcome.
        case cancelled
        /// The request was already final, and did not change.
        case alreadyFinal(RequestStatus)
    }

    /// Cancels a request that waits or runs, in this process or in another process.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, or an error of category storage. After a storage error, the
    ///   request is not cancelled.
    @discardableResult
    public func cancelRequest(_ id: UUID) async throws -> CancelOutcome {
        switch try await journal.commit(.cancel(id, at: seams.date())) {
        case .done:
            return .cancelled
        case .invalidState:
            return .alreadyFinal(try await status(for: id))
        case let receipt:
            throw await refusal(receipt, for: id)
        }
    }

    /// Cancels all live requests of the store, or all live requests of one job.
    ///
    /// - Parameter job: The job whose requests are cancelled. With `nil`, the default, all live requests of the store
    ///   are cancelled, including requests without a job.
    /// - Returns: The number of requests cancelled.
    /// - Throws: ``AIServiceError`` of category storage. Requests cancelled before the error stay cancelled.
    @discardableResult
    public func cancelAll(job: JobKey? = nil) async throws -> Int {
        var cancelled = 0
        var filter = SnapshotFilter(phases: [.pending, .executing], job: job, limit: 500)
        while true {
            let page = try await snapshots(filter)
            guard let last = page.last else { return cancelled }
            let receipts = try await journal.commit(page.map { .cancel($0.id, at: seams.date()) })
            cancelled += receipts.count { $0 == .done }
            filter.continues(after: last)
        }
    }

    /// Retries a failed or cancelled request under the same UUID. If a request is held (it waits for an explicit retry)
    /// or waits for the end of a backoff, this method starts the request at once. The count of attempts starts again at
    /// zero. If the request's deadline has passed, the deadline is removed.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`; `invalidState` if the request is completed, runs, or waits for
    ///   another reason; or an error of category storage.
    public func retry(_ id: UUID) async throws {
        switch try await journal.commit(.retry(id, at: seams.date())) {
        case .done: break
        case .invalidState(let state):
            throw AIServiceError.notAllowed("retried", id, in: RequestPhase(state, FlightLifecycle()))
        case let receipt:
            throw await refusal(receipt, for: id)
        }
    }

    /// Removes a response's content from the store. The record of the response stays, with its date, its provider and
    /// its cost.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`; `invalidState` if the request is not completed; or an error of
    ///   category storage.
    public func evict(_ id: UUID) async throws {
        switch try await journal.commit(.evict(id)) {
        case .done: break
        case .invalidState(let state):
            throw AIServiceError.notAllowed("evicted", id, in: RequestPhase(state, FlightLifecycle()))
        case let receipt: throw await refusal(receipt, for: id)
        }
    }

    /// Erases a request, its prompt and its content. If the request is live, it is cancelled first. The request's
    /// attempts stay in the ledger.
    ///
    /// With a `SQLiteStore`, no file of the store contains the erased bytes when this method returns. Rows are
    /// overwritten, the write-ahead log is emptied, and content files that no other request refers to are removed. If a
    /// reader still uses an older state of the database at that moment, or if the process dies, a later commit finishes
    /// the erasure.
    ///
    /// Copies of the bytes may remain in these places:
    ///
    /// - the unused space that SQLite leaves when it rearranges pages
    /// - backups and other copies outside the store
    /// - the disk blocks of removed files
    ///
    /// To protect the data against forensic tools, encrypt the disk.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, or an error of category storage.
    public func delete(_ id: UUID) async throws {
        switch try await journal.commit(.delete(id, at: seams.date())) {
        case .done: break
        case let receipt: throw await refusal(receipt, for: id)
        }
        // Another process may have ended the request, and this one may not have noticed. It would then send an attempt
        // that it had journalled, although the prompt is erased.
        await engine.readForeignChanges()
    }
}
