/// An operation of client code, from its call to its return. Places are indices into the trace.
struct OperationStory: Sendable {
    let number: Int32
    let operation: ClientOperation
    let process: Int32
    let called: Int
    let calledAt: Int64
    var returned: Int?
    var result: Observed?
    var told: [(place: Int, observed: Observed)] = []
    /// How many attempts of requests were on disk when it was called, if it is a retry, or when it returned, if it is a
    /// cancellation.
    var attemptsOnDisk: [Int32: Int32] = [:]
    /// Whether the client lost patience.
    var isCancelled = false

    var end: Int { returned ?? .max }
}

/// A provider's call, as the provider saw it.
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
    var cancelled: (place: Int, time: Int64)?
    var end: (place: Int, time: Int64, how: CallEnd)?
    /// Where each piece of its answer was yielded first, by itself or by a call that went on with its work.
    var yields: [Int] = []
    /// The call whose work it was handed.
    var handed: Int32?
    /// Whether it went on with that.
    var hasResumed = false
    /// Where its work, or that which it was handed, was on disk.
    var remembered: Int?
    /// Whether that may have been forgotten.
    var mayHaveForgotten = false
    /// Where that was forgotten.
    var forgot: Int?
    /// Whether it did not look at what it was handed, and yielded or answered all the same: then the engine forgets.
    var hasIgnored = false
    /// What it was told when it asked whether somebody goes on with its work.
    var asked: (place: Int, isWanted: Bool)?

    /// The call whose work it does: its own, unless it goes on with another's.
    var work: Int32 { hasResumed ? handed ?? number : number }

    /// It yields or answers something: where it was handed work, and has not said that it goes on with it, of its own.
    mutating func answersAlone() {
        if handed != nil, !hasResumed { hasIgnored = true }
    }

    /// Whether it was under way when an event happened.
    func isRunning(at place: Int) -> Bool { started < place && (end?.place ?? .max) > place }
}

/// A process, from its start to its death.
struct ProcessStory: Sendable {
    let number: Int32
    /// Where it crashed or was gone.
    var death: Int?
    var deathTime: Int64 = .max
    var hasCrashed = false
    var shutdownOrdered: Int?
    var shutdownTime: Int64 = .max
    var serviceEnded: (place: Int, observed: Observed)?
    /// When it registered.
    var registrations: [(place: Int, time: Int64)] = []
    /// When its registrations ended, by its own hand or another's.
    var retirements: [(place: Int, time: Int64, isJustified: Bool, by: Int32)] = []
    /// Where the store failed it.
    var storeFailures: [Int] = []
    /// When it did not run.
    var sleeps: [(from: Int64, to: Int64)] = []
    /// Where its clock jumped.
    var clockJumps: [Int] = []
    /// By how much in all, in milliseconds.
    var clockOffset: Int64 = 0
    /// Whether a file could not be removed with its last commit: nobody does it then until files are collected.
    var leavesFiles = false

    mutating func note(_ event: TraceEvent, at place: Int) {
        switch event.what {
        case .crashed, .processGone:
            death = place
            deathTime = event.time
            if event.what == .crashed { hasCrashed = true }
        case .shutdownOrdered:
            shutdownOrdered = shutdownOrdered ?? place
            shutdownTime = min(shutdownTime, event.time)
        case .ownerRegistered: registrations.append((place, event.time))
        case .serviceEnded(let observed): serviceEnded = (place, observed)
        case .commitFailed, .commitUncertain, .readFailed: storeFailures.append(place)
        case .fellAsleep: sleeps.append((event.time, .max))
        case .fileNotRemoved: leavesFiles = true
        case .committed: leavesFiles = false
        case .clockJumped(let milliseconds):
            clockJumps.append(place)
            clockOffset += milliseconds
        case .wokeUp: if !sleeps.isEmpty { sleeps[sleeps.count - 1].to = event.time }
        default: break
        }
    }

    func isDead(at place: Int) -> Bool { death.map { $0 < place } ?? false }

    /// Whether a registration of its ended between two events.
    func lostLeases(from start: Int, to end: Int) -> Bool {
        retirements.contains { $0.place > start && $0.place < end }
    }

    /// Whether the store failed it between two events.
    func wasFailed(from start: Int, to end: Int) -> Bool { storeFailures.contains { $0 > start && $0 < end } }

    func slept(from start: Int64, to end: Int64) -> Bool { sleeps.contains { $0.from <= end && $0.to >= start } }
}

/// What happened to a request.
struct RequestStory: Sendable {
    let number: Int32
    var submits: [OperationStory] = []
    var cancels: [OperationStory] = []
    var retries: [OperationStory] = []
    var deletes: [OperationStory] = []
    var others: [OperationStory] = []
    /// What was asked for about keeping its answer.
    var keepings: [OperationStory] = []
    var calls: [CallStory] = []
    /// How often everything, or a job, was cancelled.
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

    /// Whether another request asked for the same work: then the calls may be another's, and its own be for others.
    var isShared = false

    /// Whether little can be said from outside of its own calls: somebody wanted it deleted, so that it may have several
    /// lives, or it shares them with others.
    var isMurky: Bool { !deletes.isEmpty || isShared }

    /// Everything that anybody was told of its outcome, in order.
    var outcomes: [(place: Int, outcome: Observed)] {
        var outcomes: [(place: Int, outcome: Observed)] = []
        for operation in others {
            outcomes += operation.told.compactMap { told in told.observed.outcome.map { (told.place, $0) } }
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
        return outcomes.sorted { $0.place < $1.place }
    }

    /// Whether the submission of an operation was acknowledged.
    static func isAcknowledged(_ operation: OperationStory) -> Bool {
        switch (operation.operation, operation.result) {
        case (.submit, .stored), (.submitJob, .storedJob): true
        case (.execute, let result?): result.outcome != nil || result.isGone
        default: false
        }
    }
}
