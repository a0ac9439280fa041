import Hablare

/// Something that client code does. Requests are numbers; numbers beyond the plan's requests are ones that nobody
/// submitted, or that `regenerate` made.
enum ClientOperation: Sendable, Hashable {
    /// Submits a request, with the content it has in the plan or with another one.
    case submit(Int32, content: Int32)
    /// Submits a job's places from some place on: which request and content is to stand in each.
    case submitJob(Int32, first: Int, requests: [Int32])
    /// Submits and waits.
    case execute(Int32)
    case executeStored(Int32)
    case outcome(Int32)
    case watch(Int32)
    /// Reads the answer as it comes, from a chunk on, with a pause of so many nanoseconds after each.
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
    /// Says that the answer was merged.
    case merged(Int32)
    /// Gives up the answer.
    case evict(Int32)
    /// Gives up all answers but so many, the newest, and those that are protected.
    case prune(keeping: Int)
    /// Asks the cache, without submitting the request.
    case peek(Int32)
    /// Lets all answers drop out of the cache.
    case invalidate
    /// Rests for a reason, with a grace of so many nanoseconds.
    case suspend(SuspensionReason, grace: Int64)
    case resume(SuspensionReason)

    /// The one request that it is about.
    var request: Int32? {
        switch self {
        case .submit(let id, _), .execute(let id), .executeStored(let id), .outcome(let id), .watch(let id),
            .status(let id), .snapshot(let id), .cancel(let id), .retry(let id), .regenerate(let id), .delete(let id),
            .read(let id, _, _), .pin(let id), .unpin(let id), .merged(let id), .evict(let id):
            id
        case .submitJob, .cancelJob, .cancelAll, .invalidate, .suspend, .resume, .prune: nil
        // What it asks for is not on record, whoever else submits it.
        case .peek: nil
        }
    }
}

/// Something that goes wrong.
enum Fault: Sendable, Hashable {
    /// Where a process dies.
    enum Point: Sendable, Hashable {
        /// After so many more steps.
        case steps(Int)
        /// At its so-many-th commit from now: before it is applied, or when it is applied and nobody knows.
        case commit(Int, isApplied: Bool)
        /// At its so-many-th writing to a content file from now: before or after.
        case file(Int, isWritten: Bool)
    }

    /// The process dies; a new one starts in its place after so many nanoseconds.
    case crash(Point, restart: Int64)
    /// The machine stops: every process dies and what is not on the disk is lost.
    case machineCrash(Point, restart: Int64)
    /// An orderly shutdown; the program lingers so long before it is gone, and a new one starts after a while.
    case restart(linger: Int64, restart: Int64)
    case failCommits(Int)
    /// The outcome of so many commits or claims is unknown to the process: they are made, or they are not.
    case loseCommits(Int, areMade: Bool)
    case failClaims(Int)
    case failReads(Int)
    case failFiles(Int)
    /// Somebody removes a content file: the so-many-th that is there then.
    case loseFile(Int)
    /// The disk is full for so long.
    case fillDisk(Int64)
    /// The process's date jumps, by nanoseconds.
    case jumpClock(Int64)
    /// The process does not run for so long.
    case doze(Int64)
}
