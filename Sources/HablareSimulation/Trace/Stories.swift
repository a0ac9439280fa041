/// An operation of client code, from its call to its return. Places are indices into the trace.
struct OperationStory: Sendable {
    let number: Int32
    let operation: ClientOperation
    let process: Int32
    let called: Int
    let calledAt: Int64
    var returned: Int?
    var result: Observed?
    var told: [(position: Int, observed: Observed)] = []
    /// The numbers of attempts on disk, by request: at the call of a retry, or at the return of a cancellation.
    var attemptsOnDisk: [Int32: Int32] = [:]
    /// Whether the client cancelled it.
    var isCancelled = false

    var end: Int { returned ?? .max }
}

/// A call of a provider, from the provider's view.
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
    /// The places at which the pieces of its answer were first yielded, by itself or by a call that resumed its work.
    var yields: [Int] = []
    /// The call whose work it was handed.
    var handed: Int32?
    /// Whether it resumed that work.
    var hasResumed = false
    /// The place at which the handle of its own work, or of the work it was handed, was on disk.
    var remembered: Int?
    /// Whether that handle may have been forgotten.
    var mayHaveForgotten = false
    /// The place at which the handle was forgotten.
    var forgot: Int?
    /// Whether it ignored the work it was handed, and yielded or answered on its own. The engine then forgets that
    /// work.
    var hasIgnored = false
    /// The engine's reply when the call asked whether its work is still wanted.
    var asked: (position: Int, isWanted: Bool)?

    /// The call whose work it does: its own, or the one that it resumes.
    var work: Int32 { hasResumed ? handed ?? number : number }

    /// Records that it yields or answers. If it was handed work and has not resumed it, the answer is its own.
    mutating func answersAlone() {
        if handed != nil, !hasResumed { hasIgnored = true }
    }

    /// Returns whether it was in progress at an event.
    func isRunning(at position: Int) -> Bool { started < position && (end?.position ?? .max) > position }
}

/// A process, from its start to its death.
struct ProcessStory: Sendable {
    let number: Int32
    /// The place at which it crashed or exited.
    var death: Int?
    var deathTime: Int64 = .max
    var hasCrashed = false
    var shutdownOrdered: Int?
    var shutdownTime: Int64 = .max
    var serviceEnded: (position: Int, observed: Observed)?
    /// The places and times of its registrations.
    var registrations: [(position: Int, time: Int64)] = []
    /// The ends of its registrations, by itself or by another process.
    var retirements: [(position: Int, time: Int64, isJustified: Bool, by: Int32)] = []
    /// The places at which the store failed it.
    var storeFailures: [Int] = []
    /// The periods in which it did not run.
    var sleeps: [(from: Int64, to: Int64)] = []
    /// The places at which its clock jumped.
    var clockJumps: [Int] = []
    /// The total of the jumps, in milliseconds.
    var clockOffset: Int64 = 0
    /// Whether a file could not be removed with its last commit. It then stays until the next commit or collection.
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

    /// Returns whether one of its registrations ended between two events.
    func lostLeases(from start: Int, to end: Int) -> Bool {
        retirements.contains { $0.position > start && $0.position < end }
    }

    /// Returns whether the store failed it between two events.
    func wasFailed(from start: Int, to end: Int) -> Bool { storeFailures.contains { $0 > start && $0 < end } }

    func slept(from start: Int64, to end: Int64) -> Bool { sleeps.contains { $0.from <= end && $0.to >= start } }
}

/// The operations and calls of a request.
struct RequestStory: Sendable {
    let number: Int32
    var submits: [OperationStory] = []
    var cancels: [OperationStory] = []
    var retries: [OperationStory] = []
    var deletes: [OperationStory] = []
    var others: [OperationStory] = []
    /// The operations on the retention of its answer.
    var keepings: [OperationStory] = []
    var calls: [CallStory] = []
    /// The number of times that everything, or a job, was cancelled.
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

    /// Whether another request asked for the same work. Each may then use the other's calls.
    var isShared = false

    /// Whether its calls cannot be judged alone from outside. It was deleted and may have had several lives, or it
    /// shares its calls with others.
    var isMurky: Bool { !deletes.isEmpty || isShared }

    /// All outcomes that operations reported, in order.
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
