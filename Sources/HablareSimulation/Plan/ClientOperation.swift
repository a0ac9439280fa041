import Hablare

/// An operation of client code. Requests are identified by numbers. A number beyond the plan's requests belongs to a
/// request that was never submitted, or to a request that `regenerate` created.
enum ClientOperation: Sendable, Hashable {
    /// Submits a request, with its planned content or with other content.
    case submit(Int32, content: Int32)
    /// Submits a part of a job, from a position on. `requests` are the requests for the consecutive positions. Each has
    /// its planned content.
    case submitJob(Int32, first: Int, requests: [Int32])
    /// Submits a request and waits for its outcome.
    case execute(Int32)
    case executeStored(Int32)
    case outcome(Int32)
    case watch(Int32)
    /// Streams the answer from a chunk on. Pauses after each chunk for a number of nanoseconds.
    case read(Int32, from: Int32, pause: Int64)
    case status(Int32)
    case snapshot(Int32)
    case cancel(Int32)
    case cancelJob(Int32)
    case cancelAll
    case retry(Int32)
    case regenerate(Int32)
    case delete(Int32)
    case pin(Int32)
    case unpin(Int32)
    /// Reports that the answer was merged.
    case merged(Int32)
    /// Evicts the answer.
    case evict(Int32)
    /// Evicts all answers, except the protected answers and the newest `keeping` answers.
    case prune(keeping: Int)
    /// Looks a request up in the cache, without submitting it.
    case peek(Int32)
    /// Removes all answers from the cache.
    case invalidate
    /// Suspends the engine for a reason. The grace period is in nanoseconds.
    case suspend(SuspensionReason, grace: Int64)
    case resume(SuspensionReason)

    /// The only request that the operation concerns; `nil` if it concerns several requests or none.
    var request: Int32? {
        switch self {
        case .submit(let id, _), .execute(let id), .executeStored(let id), .outcome(let id), .watch(let id),
            .status(let id), .snapshot(let id), .cancel(let id), .retry(let id), .regenerate(let id), .delete(let id),
            .read(let id, _, _), .pin(let id), .unpin(let id), .merged(let id), .evict(let id):
            id
        case .submitJob, .cancelJob, .cancelAll, .invalidate, .suspend, .resume, .prune: nil
        // A lookup leaves no record of its request, even if that is also submitted.
        case .peek: nil
        }
    }
}

/// A fault in a history.
enum Fault: Sendable, Hashable {
    /// The time at which a process dies.
    enum Point: Sendable, Hashable {
        /// After this number of further steps.
        case steps(Int)
        /// At the n-th commit from now. Before the commit is applied, or after it is applied and before any process
        /// learns of it.
        case commit(Int, isApplied: Bool)
        /// At the n-th write to a content file from now. Before the write or after it.
        case file(Int, isWritten: Bool)
    }

    /// The process dies, and a new process starts in its place after `restart` nanoseconds.
    case crash(Point, restart: Int64)
    /// The machine crashes. Every process dies, and everything that is not on the disk is lost.
    case machineCrash(Point, restart: Int64)
    /// The process shuts down normally. The program exits after `linger` nanoseconds, and a new program starts after
    /// `restart` nanoseconds.
    case restart(linger: Int64, restart: Int64)
    case failCommits(Int)
    /// The process does not learn the outcome of this many commits or claims. `areMade` states whether they are
    /// applied.
    case loseCommits(Int, areMade: Bool)
    case failClaims(Int)
    case failReads(Int)
    case failFiles(Int)
    /// An external program removes a content file. The number selects one of the files that exist at that time.
    case loseFile(Int)
    /// The disk is full for this number of nanoseconds.
    case fillDisk(Int64)
    /// The process's clock jumps by this number of nanoseconds.
    case jumpClock(Int64)
    /// The process does not run for this number of nanoseconds.
    case doze(Int64)
}
