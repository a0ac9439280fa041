/// An event of a history that is visible outside the engine. Events contain only numbers, to save memory: a history has
/// hundreds of events, and a long run has millions of histories.
package struct TraceEvent: Sendable, Hashable {
    /// The kind of event.
    package enum What: Sendable, Hashable {
        // Client code
        case operationCalled(Int32)
        case operationReturned(Int32, Observed)
        /// The number of a request's attempts in the store, when a retry is called or when a cancellation returns. For
        /// a cancellation of many requests, the number is recorded for every request.
        case attemptsOnDisk(operation: Int32, request: Int32, attempts: Int32)
        /// A stream of statuses yielded this status.
        case told(Int32, Observed)
        /// A reader of an answer received a chunk.
        case streamed(Int32, StreamedChunk)
        /// A reader of an answer received a restart.
        case streamRestarted(Int32, generation: Int32)
        /// The app cancelled the task of an operation.
        case operationCancelled(Int32)

        // Providers
        /// A call began. `journalled` is the number of the request's attempts in the store at that time, or -1 if the
        /// store did not know the request.
        case callStarted(
            call: Int32, request: Int32, provider: Int16, attempt: Int32, content: Int32, journalled: Int32)
        case callCancelled(Int32)
        /// A provider reported its limits. The engine applies the limits when the call ends.
        case limitsSaid(call: Int32, LimitsSaying)
        case callEnded(Int32, CallEnd)
        /// A provider yielded a piece after the end of its call. `isRefused` tells whether the engine refused the
        /// piece.
        case yieldedLate(call: Int32, isRefused: Bool)
        /// A provider yields a piece of an answer: of its own answer, or of the answer that it resumes.
        case yielded(call: Int32, piece: Int32)
        /// A call received the work of an earlier call, which it should resume.
        case handed(call: Int32, work: Int32)
        /// A call resumes the work that it received.
        case resumed(call: Int32)
        /// The resume handle of a call's work is on disk, so that the next attempt should resume the work.
        case remembered(call: Int32)
        /// A call is about to remove the stored resume handle.
        case forgets(call: Int32)
        /// The stored resume handle is no longer on disk.
        case forgot(call: Int32)
        /// A cancelled call asked the engine whether an attempt still needs its work.
        case asked(call: Int32, isWanted: Bool)

        // Processes
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

        // The disk
        case committed(writes: Int32)
        case commitFailed
        case commitLost(wasApplied: Bool)
        case commitUncertain(wasMade: Bool)
        case claimed(Int32)
        case readFailed
        /// An orphaned content file (without a row) could not be removed. The next commit tries again.
        case fileNotRemoved
        /// A program outside the simulation removed a content file.
        case fileLost(SimulatedFile)
        /// Orphaned content files were removed. The value is their number.
        case filesCollected(Int32)
        case diskFilled
        case diskFreed
        case ownerRegistered
        /// A process's registration ended, and its leases were broken. `isJustified` tells whether the process was
        /// dead, as far as other processes can determine this.
        case ownerRetired(process: Int32, isJustified: Bool)
        case signalled

        // The history
        case faultsEnded
        /// No work is left in progress. `live` is the number of requests that are not final.
        case quiet(live: Int32)
        case ended(processesLeft: Int32)
    }

    /// The virtual time in nanoseconds.
    package let time: Int64
    /// The number of scheduler steps before the event.
    package let step: Int32
    /// The number of the process in the history, or -1 if the event belongs to no process.
    package let process: Int32
    /// The event.
    package let what: What
}

/// A chunk that a reader received.
package struct StreamedChunk: Sendable, Hashable {
    let generation: Int32
    let sequence: Int32
    let call: Int32
    let piece: Int32
    /// Whether the chunk was on disk when the reader received it.
    let isOnDisk: Bool
}

/// The way in which a call of a provider ended.
package enum CallEnd: Sendable, Hashable {
    /// The call returned an answer. `isPromisedType` tells whether the answer has the content type that the provider
    /// has declared.
    case answered(isPromisedType: Bool)
    /// The call failed with a row of ``ProviderFailure/rows``.
    case failed(row: Int32)
    /// The call's task was cancelled.
    case cancelled

    /// The billing of the call by the provider: 2 for billed, 1 for possibly billed, 0 for not billed.
    var billing: Int {
        switch self {
        case .answered: 2
        case .failed(let row): ProviderFailure.rows[Int(row)].mayBeBilled ? 1 : 0
        case .cancelled: 1
        }
    }
}

/// A result that the simulated app received, in numbers.
package enum Observed: Sendable, Hashable {
    /// The operation succeeded without a result.
    case done
    /// The operation returned a count.
    case count(Int32)
    /// A submission stored this request.
    case stored(Int32)
    /// A submission stored a job. The value is its index in the recorder's list of jobs.
    case storedJob(Int32)
    case pending
    /// A snapshot says that the request waits, with the reason.
    case waiting(WaitSaying)
    case executing
    /// The request is completed with the answer of a call.
    case completed(call: Int32)
    /// The request is completed, and its answer was evicted.
    case expired
    /// The request is completed, and the content file with its answer is missing.
    case lost
    /// The request failed. The values are the error code of the engine, and the number of the call that failed. The
    /// call is -1 if the failure does not come from a call.
    case failed(code: Int16, call: Int32)
    case cancelled
    /// The operation threw an error, so that it had no effect.
    case refused(code: Int16)
    case cancellationError
    /// The operation threw an error of another type.
    case foreignError

    /// The value itself if it is the outcome of a request, otherwise `nil`.
    var outcome: Observed? {
        switch self {
        case .completed, .failed, .cancelled: self
        default: nil
        }
    }

    /// Whether the request is completed but its answer can no longer be read.
    var isGone: Bool { self == .expired || self == .lost }

    func isRefused(_ code: AIServiceErrorCode) -> Bool { self == .refused(code: code.rawValue) }
}
