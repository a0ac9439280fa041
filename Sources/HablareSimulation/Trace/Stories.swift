/// An operation of the simulated app, from its call to its return. Positions are indices of events in the trace.
struct OperationStory: Sendable {
    let number: Int32
    let operation: ClientOperation
    let process: Int32
    let called: Int
    let calledAt: Int64
    var returned: Int?
    var result: Observed?
    var told: [(position: Int, observed: Observed)] = []
    /// The numbers of attempts in the store, by request. They are recorded when a retry is called, and when a
    /// cancellation returns.
    var attemptsOnDisk: [Int32: Int32] = [:]
    /// Whether the app cancelled the operation.
    var isCancelled = false

    var end: Int { returned ?? .max }
}

/// A call of a provider, from the provider's point of view.
struct CallStory: Sendable {
    let number: Int32
    let process: Int32
    let request: Int32
    let provider: Int16
    let attempt: Int32
    let content: Int32
    let journalled: Int32
    let started: Int
    let startedAt: Int64
    var cancelled: (position: Int, time: Int64)?
    var end: (position: Int, time: Int64, how: CallEnd)?
    /// The positions at which the pieces of the work were first yielded, by this call or by a later call that resumed
    /// the work.
    var yields: [Int] = []
    /// The earlier call whose work this call should resume.
    var handed: Int32?
    /// Whether this call resumed the work of the earlier call.
    var hasResumed = false
    /// The position at which a resume handle was on disk. The handle identifies the call's own work, or the work that
    /// it resumed.
    var remembered: Int?
    /// Whether this handle may have been removed.
    var mayHaveForgotten = false
    /// The position at which the handle was removed.
    var forgot: Int?
    /// Whether the call ignored the work that it should resume, and yielded or returned a different answer. The engine
    /// then removes the handle of the ignored work.
    var hasIgnored = false
    /// The answer of the engine when the call asked whether an attempt still needs its work.
    var asked: (position: Int, isWanted: Bool)?

    /// The call that began the work of this call: this call, or the call whose work it resumes.
    var work: Int32 { hasResumed ? handed ?? number : number }

    /// Records that the call yields or answers. If the call should resume work and has not done so, its answer is a
    /// different answer.
    mutating func answersAlone() {
        if handed != nil, !hasResumed { hasIgnored = true }
    }

    /// Returns whether the call was in flight at a position in the trace.
    func isRunning(at position: Int) -> Bool { started < position && (end?.position ?? .max) > position }
}

/// A process, from its start to its death.
struct ProcessStory: Sendable {
    let number: Int32
    /// The position at which the process crashed or exited.
    var death: Int?
    var deathTime: Int64 = .max
    var hasCrashed = false
    var shutdownOrdered: Int?
    var shutdownTime: Int64 = .max
    var serviceEnded: (position: Int, observed: Observed)?
    /// The positions and times of the process's registrations.
    var registrations: [(position: Int, time: Int64)] = []
    /// The positions at which the process's registrations ended. Each was ended by the process itself or by another
    /// process.
    var retirements: [(position: Int, time: Int64, isJustified: Bool, by: Int32)] = []
    /// The positions at which the store failed in this process.
    var storeFailures: [Int] = []
    /// The periods in which the process slept.
    var sleeps: [(from: Int64, to: Int64)] = []
    /// The positions at which the process's clock jumped.
    var clockJumps: [Int] = []
    /// The sum of the clock jumps, in milliseconds.
    var clockOffset: Int64 = 0
    /// Whether a file could not be removed with the process's last commit. The file then stays until the next commit or
    /// collection.
    var leavesFiles = false

    mutating func note(_ event: TraceEvent, at position: Int) {
        switch event.what {
        case .crashed, .processGone:
            death = position
            deathTime = event.time
            if event.what == .crashed { hasCrashed = true }
        case .shutdownOrdered:
            shutdownOrdered = shutdownOrdered ?? position
            shutdownTime = min(shutdownTime, event.time)
        case .ownerRegistered: registrations.append((position, event.time))
        case .serviceEnded(let observed): serviceEnded = (position, observed)
        case .commitFailed, .commitUncertain, .readFailed: storeFailures.append(position)
        case .fellAsleep: sleeps.append((event.time, .max))
        case .fileNotRemoved: leavesFiles = true
        case .committed: leavesFiles = false
        case .clockJumped(let milliseconds):
            clockJumps.append(position)
            clockOffset += milliseconds
        case .wokeUp: if !sleeps.isEmpty { sleeps[sleeps.count - 1].to = event.time }
        default: break
        }
    }

    func isDead(at position: Int) -> Bool { death.map { $0 < position } ?? false }

    /// Returns whether a registration of the process ended between two positions in the trace.
    func lostLeases(from start: Int, to end: Int) -> Bool {
        retirements.contains { $0.position > start && $0.position < end }
    }

    /// Returns whether the store failed in this process between two positions in the trace.
    func wasFailed(from start: Int, to end: Int) -> Bool { storeFailures.contains { $0 > start && $0 < end } }

    func slept(from start: Int64, to end: Int64) -> Bool { sleeps.contains { $0.from <= end && $0.to >= start } }
}

/// A request, with all its operations and calls.
struct RequestStory: Sendable {
    let number: Int32
    var submits: [OperationStory] = []
    var cancels: [OperationStory] = []
    var retries: [OperationStory] = []
    var deletes: [OperationStory] = []
    var others: [OperationStory] = []
    /// The operations that protect, evict or prune the request's answer.
    var keepings: [OperationStory] = []
    var calls: [CallStory] = []
    /// The number of operations that cancelled all requests or all requests of a job.
    var massCancels = 0

    mutating func note(_ operation: OperationStory) {
        switch operation.operation {
        case .submit: submits.append(operation)
        case .execute:
            submits.append(operation)
            others.append(operation)
        case .cancel: cancels.append(operation)
        case .retry: retries.append(operation)
        case .delete: deletes.append(operation)
        case .pin, .unpin, .merged, .evict: keepings.append(operation)
        default: others.append(operation)
        }
    }

    /// Whether another request has the same work. If so, a call of one request may answer the other request.
    var isShared = false

    /// Whether the history does not show which calls belong to the request. This is the case if the request shares
    /// calls with other requests. It is also the case if the request was deleted, because it may then have been
    /// submitted again.
    var isMurky: Bool { !deletes.isEmpty || isShared }

    /// All outcomes of the request that operations reported, in order.
    var outcomes: [(position: Int, outcome: Observed)] {
        var outcomes: [(position: Int, outcome: Observed)] = []
        for operation in others {
            outcomes += operation.told.compactMap { told in told.observed.outcome.map { (told.position, $0) } }
            if let returned = operation.returned, let outcome = operation.result?.outcome {
                outcomes.append((returned, outcome))
            }
        }
        for operation in cancels {
            guard let returned = operation.returned else { continue }
            switch operation.result {
            case .done: outcomes.append((returned, .cancelled))
            case let result?: if let outcome = result.outcome { outcomes.append((returned, outcome)) }
            case nil: break
            }
        }
        return outcomes.sorted { $0.position < $1.position }
    }

    /// Returns whether the submission of an operation was acknowledged.
    static func isAcknowledged(_ operation: OperationStory) -> Bool {
        switch (operation.operation, operation.result) {
        case (.submit, .stored), (.submitJob, .storedJob): true
        case (.execute, let result?): result.outcome != nil || result.isGone
        default: false
        }
    }
}
