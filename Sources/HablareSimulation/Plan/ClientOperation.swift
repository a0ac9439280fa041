import Hablare

/// An operation of client code. Requests are numbers. Numbers beyond the plan's requests belong to requests that were
/// never submitted, or that `regenerate` created.
enum ClientOperation: Sendable, Hashable {
    /// Submits a request with its planned content or with another one.
    case submit(Int32, content: Int32)
    /// Submits a job from a position on. `requests` are the requests, with their content, for the consecutive
    /// positions.
    case submitJob(Int32, first: Int, requests: [Int32])
    /// Submits a request and waits for its outcome.
    case execute(Int32)
    case executeStored(Int32)
    case outcome(Int32)
    case watch(Int32)
    /// Streams the answer from a chunk on, with a pause in nanoseconds after each chunk.
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
    /// Evicts all answers except the protected ones and the newest `keeping` ones.
    case prune(keeping: Int)
    /// Looks a request up in the cache without submitting it.
    case peek(Int32)
    /// Removes all answers from the cache.
    case invalidate
    /// Suspends the engine for a reason, with a grace in nanoseconds.
    case suspend(SuspensionReason, grace: Int64)
    case resume(SuspensionReason)

    /// The single request of the operation, or `nil`.
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
    /// The point at which a process dies.
    enum Point: Sendable, Hashable {
        /// After this many further steps.
        case steps(Int)
        /// At the n-th commit from now: before it is applied, or after it is applied and before anyone learns of it.
        case commit(Int, isApplied: Bool)
        /// At the n-th write to a content file from now: before it or after it.
        case file(Int, isWritten: Bool)
    }

    /// The process dies, and a new one starts in its place after `restart` nanoseconds.
    case crash(Point, restart: Int64)
    /// The machine stops: every process dies, and everything that is not on the disk is lost.
    case machineCrash(Point, restart: Int64)
    /// The process shuts down in order. The program exits after `linger` nanoseconds, and a new one starts after
    /// `restart` nanoseconds.
    case restart(linger: Int64, restart: Int64)
    case failCommits(Int)
    /// The outcome of this many commits or claims is unknown to the process. `areMade` is whether they are applied.
    case loseCommits(Int, areMade: Bool)
    case failClaims(Int)
    case failReads(Int)
    case failFiles(Int)
    /// An outsider removes a content file, chosen by this number among the files that exist then.
    case loseFile(Int)
    /// The disk is full for this many nanoseconds.
    case fillDisk(Int64)
    /// The process's date jumps by this many nanoseconds.
    case jumpClock(Int64)
    /// The process does not run for this many nanoseconds.
    case doze(Int64)
}
