import Hablare

/// An operation of the simulated app (the client) in one process. Requests have numbers. If a number is greater than
/// those of the plan's requests, the request was never submitted, or `regenerate` created it.
enum ClientOperation: Sendable, Hashable {
    /// Submits a request, with its planned content or with different content.
    case submit(Int32, content: Int32)
    /// Submits a part of a job, beginning at a position. `requests` are the requests for the consecutive positions.
    /// Each has its planned content.
    case submitJob(Int32, first: Int, requests: [Int32])
    /// Submits a request and waits for its outcome.
    case execute(Int32)
    case executeStored(Int32)
    case outcome(Int32)
    case watch(Int32)
    /// Reads the stream of an answer, beginning at a chunk. After each chunk, the reader pauses for a number of
    /// nanoseconds.
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
    /// Confirms that the app has copied the answer.
    case merged(Int32)
    /// Evicts the answer.
    case evict(Int32)
    /// Evicts all answers, except the protected answers and the newest `keeping` answers.
    case prune(keeping: Int)
    /// Looks for a cached answer, without submitting the request.
    case peek(Int32)
    /// Removes all answers from the cache.
    case invalidate
    /// Suspends the engine for a reason. The grace period is in nanoseconds.
    case suspend(SuspensionReason, grace: Int64)
    case resume(SuspensionReason)

    /// The only request to which the operation applies, or `nil` if it applies to several requests or to none.
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

/// A fault that the simulation causes.
enum Fault: Sendable, Hashable {
    /// The moment at which a process dies.
    enum Point: Sendable, Hashable {
        /// After this number of further steps of the process.
        case steps(Int)
        /// At a commit of the process. The first value counts its commits from now on. The process dies before the
        /// commit is applied, or after that and before any process learns of it.
        case commit(Int, isApplied: Bool)
        /// At a write to a content file. The first value counts the writes of the process from now on. The process dies
        /// before the write or after it.
        case file(Int, isWritten: Bool)
    }

    /// The process dies, and a new process starts in its place after `restart` nanoseconds.
    case crash(Point, restart: Int64)
    /// The machine crashes. Every process dies, and all data that was not on the disk is lost.
    case machineCrash(Point, restart: Int64)
    /// The process shuts down normally. The program exits after `linger` nanoseconds, and a new program starts after
    /// `restart` nanoseconds.
    case restart(linger: Int64, restart: Int64)
    case failCommits(Int)
    /// For this number of commits or claims, the process does not learn whether they were made. `areMade` tells whether
    /// they are made.
    case loseCommits(Int, areMade: Bool)
    case failClaims(Int)
    case failReads(Int)
    case failFiles(Int)
    /// A program outside the simulation removes a content file. The number selects one of the files that exist then.
    case loseFile(Int)
    /// The disk is full for this number of nanoseconds.
    case fillDisk(Int64)
    /// The process's clock jumps by this number of nanoseconds.
    case jumpClock(Int64)
    /// The process sleeps for this number of nanoseconds, like a laptop.
    case doze(Int64)
}
