/// Something that happened in a history and that somebody outside the engine could see. Plain numbers: a history has
/// hundreds of them, and a long run has millions of histories.
package struct TraceEvent: Sendable, Hashable {
    /// What happened.
    package enum What: Sendable, Hashable {
        // What the client code did and was told.
        case operationCalled(Int32)
        case operationReturned(Int32, Observed)
        /// How many attempts of a request are on disk: of what is to be retried when that is asked for, of what was
        /// cancelled when that is acknowledged, and then of every request where it was many.
        case attemptsOnDisk(operation: Int32, request: Int32, attempts: Int32)
        /// A stream of statuses said this.
        case told(Int32, Observed)
        /// A reader of an answer was told a chunk.
        case streamed(Int32, StreamedChunk)
        /// A reader of an answer was told that it is begun anew.
        case streamRestarted(Int32, generation: Int32)
        /// The client lost patience and cancelled its own task.
        case operationCancelled(Int32)

        // What the providers saw.
        /// A call began; `journalled` is how many attempts of the request were on disk then, -1 if it was unknown.
        case callStarted(
            call: Int32, request: Int32, provider: Int16, attempt: Int32, content: Int32, journalled: Int32)
        case callCancelled(Int32)
        /// A provider said something of its limits; it counts when the call ends.
        case limitsSaid(call: Int32, LimitsSaying)
        case callEnded(Int32, CallEnd)
        /// A provider yields a piece although its call has ended; was it refused?
        case yieldedLate(call: Int32, isRefused: Bool)
        /// A provider yields a piece of its answer, or of that of the call whose work it goes on with.
        case yielded(call: Int32, piece: Int32)
        /// A call was handed the work of an earlier one.
        case handed(call: Int32, work: Int32)
        /// A call goes on with the work that it was handed.
        case resumed(call: Int32)
        /// A call's work is on disk: the next attempt is to go on with it.
        case remembered(call: Int32)
        /// A call is about to forget what was remembered.
        case forgets(call: Int32)
        /// What was remembered is not on disk any more.
        case forgot(call: Int32)
        /// A call that was told to stop was told whether somebody goes on with its work.
        case asked(call: Int32, isWanted: Bool)

        // What happened to the processes.
        case processStarted(slot: Int32)
        case serviceEnded(Observed)
        case processGone
        case crashed
        case machineCrashed
        case shutdownOrdered
        case fellAsleep
        case wokeUp
        case clockJumped(milliseconds: Int64)
        case zombieStuck

        // What happened on the disk.
        case committed(writes: Int32)
        case commitFailed
        case commitLost(wasApplied: Bool)
        case commitUncertain(wasMade: Bool)
        case claimed(Int32)
        case readFailed
        /// A content file that no row refers to any more could not be removed; the next commit tries again.
        case fileNotRemoved
        /// Somebody removed a content file whom nobody had asked to.
        case fileLost(SimulatedFile)
        /// So many content files were removed that nobody referred to.
        case filesCollected(Int32)
        case diskFilled
        case diskFreed
        case ownerRegistered
        /// Somebody's registration ended and its leases broke; was the owner gone, as far as could be told?
        case ownerRetired(process: Int32, isJustified: Bool)
        case signalled

        // What happened to the history.
        case faultsEnded
        /// Nothing happens any more; the number of requests that are not final.
        case quiet(live: Int32)
        case ended(processesLeft: Int32)
    }

    /// When, in virtual nanoseconds.
    package let time: Int64
    /// After how many steps of the scheduler.
    package let step: Int32
    /// In which process (counted over the whole history), or -1.
    package let process: Int32
    /// What happened.
    package let what: What
}

/// A chunk as a reader was told it: where it stands, and which piece of which call it is.
package struct StreamedChunk: Sendable, Hashable {
    let generation: Int32
    let sequence: Int32
    let call: Int32
    let piece: Int32
    /// Whether it was on disk by then.
    let isOnDisk: Bool
}

/// How a provider's call ended.
package enum CallEnd: Sendable, Hashable {
    /// With an answer; `isPromisedType` as it should be.
    case answered(isPromisedType: Bool)
    /// With a row of ``ProviderFailure/rows``.
    case failed(row: Int32)
    /// Because its task was cancelled.
    case cancelled

    /// Whether the provider may have billed it, in truth.
    var billing: Int {
        switch self {
        case .answered: 2
        case .failed(let row): ProviderFailure.rows[Int(row)].mayBeBilled ? 1 : 0
        case .cancelled: 1
        }
    }
}

/// What client code was told, in numbers.
package enum Observed: Sendable, Hashable {
    /// Done, and nothing to say about it.
    case done
    /// So many.
    case count(Int32)
    /// The request that a submission led to.
    case stored(Int32)
    /// The requests of a job; their order in the recorder's list of jobs.
    case storedJob(Int32)
    case pending
    /// Pending, says a snapshot, and why.
    case waiting(WaitSaying)
    case executing
    /// Completed with the answer of a call.
    case completed(call: Int32)
    /// Completed; the answer is no longer kept.
    case expired
    /// Completed; the file with the answer is gone.
    case lost
    /// Failed, by the engine's code, with the failure of a call (-1: the engine's own).
    case failed(code: Int16, call: Int32)
    case cancelled
    /// The operation itself was refused.
    case refused(code: Int16)
    case cancellationError
    /// An error that is neither ours nor a cancellation.
    case foreignError

    /// The outcome that this is, if it is one.
    var outcome: Observed? {
        switch self {
        case .completed, .failed, .cancelled: self
        default: nil
        }
    }

    /// Completed, and the answer cannot be read any more.
    var isGone: Bool { self == .expired || self == .lost }

    func isRefused(_ code: AIServiceErrorCode) -> Bool { self == .refused(code: code.rawValue) }
}
