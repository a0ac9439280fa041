public import Foundation
import Logging

extension AIRequestManager {
    /// What came of a cancellation.
    public enum CancelOutcome: Sendable, Hashable {
        /// The request is cancelled. No attempt will be sent any more, and the outcome of one under way is refused.
        case cancelled
        /// The request was final before, and stays what it is.
        case alreadyFinal(RequestStatus)
    }

    /// Cancels a request, whether it waits or runs, here or in another process.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, or of category storage; the request goes on then.
    @discardableResult
    public func cancelRequest(_ id: UUID) async throws -> CancelOutcome {
        switch try await journal.commit(.cancel(id, at: seams.date())) {
        case .cancelled, .done:  // done: its flight goes on for others
            return .cancelled
        case .invalidState:
            return .alreadyFinal(try await status(for: id))
        case let receipt:
            throw try await refusal(receipt, for: id)
        }
    }

    /// Cancels every live request, or every live one of a job.
    ///
    /// - Returns: How many were cancelled.
    /// - Throws: ``AIServiceError`` of category storage; those that were cancelled before stay so.
    @discardableResult
    public func cancelAll(job: JobKey? = nil) async throws -> Int {
        var cancelled = 0
        var filter = SnapshotFilter(phases: [.pending, .executing], job: job, limit: 500)
        while true {
            let page = try await snapshots(filter)
            guard let last = page.last else { return cancelled }
            let receipts = try await journal.commit(page.map { .cancel($0.id, at: seams.date()) })
            cancelled += receipts.count(where: \.cancels)
            filter.continues(after: last)
        }
    }

    /// Tries a failed or cancelled request again, under the same UUID, as a recorded new attempt; or tries one now
    /// that is held or backs off. Its attempts are counted anew, and a deadline that has passed is dropped.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`; `invalidState` when the request is on its way or completed; or
    ///   of category storage.
    public func retry(_ id: UUID) async throws {
        switch try await journal.commit(.retry(id, at: seams.date())) {
        case .done: break
        case .invalidState(let state):
            throw AIServiceError.notAllowed("retried", id, in: RequestPhase(state, FlightLifecycle()))
        case let receipt:
            throw try await refusal(receipt, for: id)
        }
    }

    /// Gives up a response's content and keeps the rest: that it was made, when, by whom, at what cost.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`; `invalidState` unless completed; or of category storage.
    public func evict(_ id: UUID) async throws {
        switch try await journal.commit(.evict(id)) {
        case .done: break
        case .invalidState(let state):
            throw AIServiceError.notAllowed("evicted", id, in: RequestPhase(state, FlightLifecycle()))
        case let receipt: throw try await refusal(receipt, for: id)
        }
    }

    /// Erases a request, its prompt and its content. A live one is cancelled first. Its attempts stay in the ledger.
    ///
    /// With a `SQLiteStore`, the bytes are in none of the store's files when this returns: rows are overwritten, the
    /// write-ahead log is emptied, content files that no other request refers to are removed. Where somebody reads an
    /// older state at that moment, or the process dies, a later commit finishes it. Nothing is promised of what SQLite
    /// leaves in unused space when it rearranges its pages, of copies elsewhere, and of a disk's blocks that belonged to
    /// removed files: who must withstand forensics encrypts the disk.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, or of category storage.
    public func delete(_ id: UUID) async throws {
        switch try await journal.commit(.delete(id, at: seams.date())) {
        case .done, .cancelled: break
        case let receipt: throw try await refusal(receipt, for: id)
        }
        // Another process may have ended the request, which this one has not noticed: an attempt that it had journalled
        // would be sent although its prompt is erased.
        await engine.noticeOthers()
    }
}

extension WriteReceipt {
    /// Whether it answers a cancellation that was carried out.
    fileprivate var cancels: Bool {
        switch self {
        case .cancelled, .done: true
        default: false
        }
    }
}
