import Hablare

/// The lives of a request. The first life begins with the submission of the request. Each explicit retry begins another
/// life.
extension RequestStory {
    /// The parts of the trace in which no new life can have begun. They are between the retries that may have been
    /// applied. A retry lasts from its call to its return; if the return is unknown, the retry has no end.
    var lives: [Range<Int>] {
        var lives: [Range<Int>] = []
        var start = 0
        for retry in retries.filter(Self.mayBeApplied).sorted(by: { $0.called < $1.called }) {
            if start < retry.called { lives.append(start..<retry.called) }
            start = max(start, retry.end)
        }
        if start < .max { lives.append(start..<Int.max) }
        return lives
    }

    /// Returns whether a retry may have been applied, even if its process died or met a failure of the store.
    static func mayBeApplied(_ retry: OperationStory) -> Bool {
        guard case .refused(let number)? = retry.result else { return true }
        let code = AIServiceErrorCode(rawValue: number)
        return code != .unknownRequest && code != .invalidState
    }
}

extension SimulationHistory {
    /// Returns whether a call's process was able to record the call's end as the request's own. This needs two things.
    /// No other process broke the process's leases during the call. The process itself did not return its leases
    /// because of a suspension before the store accepted the record.
    func isTrusted(_ call: CallStory) -> Bool {
        let process = processes[Int(call.process)]
        let end = call.end?.position ?? .max
        return process.retirements.allSatisfy { retirement in
            retirement.by == process.number
                ? !process.storeFailures.contains { $0 > end && $0 < retirement.position }
                : retirement.position > process.death ?? .max
        }
    }

    /// Returns whether nothing interfered between a call and the recording of its answer. The recording takes less than
    /// two seconds.
    func isUndisturbed(_ call: CallStory) -> Bool {
        let process = processes[Int(call.process)]
        guard let end = call.end, call.cancelled == nil, !mayBeStale(call.process, at: call.started) else {
            return false
        }
        let recorded = end.time + 2_000_000_000
        return process.deathTime > recorded && process.storeFailures.isEmpty && process.sleeps.isEmpty
            && !process.retirements.contains { $0.position > call.started && $0.time <= recorded }
            && end.position < process.shutdownOrdered ?? .max && recorded < quietTime
    }

    /// Returns whether a process may act on leases that it has lost. Its registration had ended. It had not registered
    /// again, or it had registered again so recently that an attempt may still be in progress which was journalled
    /// before.
    func mayBeStale(_ process: Int32, at position: Int) -> Bool {
        let story = processes[Int(process)]
        guard let loss = story.retirements.last(where: { $0.position < position }) else { return false }
        guard let registration = story.registrations.first(where: { $0.position > loss.position }),
            registration.position < position
        else {
            return true
        }
        return registration.time + hurry >= events[position].time
    }

    /// Returns whether a call's process had lost its lease for the call before an event, or never had a lease.
    func hasLostItsLease(_ call: CallStory, before position: Int) -> Bool {
        mayBeStale(call.process, at: call.started)
            || processes[Int(call.process)].lostLeases(from: call.started, to: position)
    }

    /// Returns the ledger's line for a call.
    func entry(of call: CallStory) -> FinalRecord.Attempt? {
        final[call.request]?.attempts.first { $0.attempt == call.attempt }
    }

    /// Returns whether a call failed and the engine recorded the failure as the request's failure.
    func hasFailed(_ call: CallStory) -> Bool {
        isTrusted(call) && call.end != nil && entry(of: call)?.outcome == .failed
    }

    /// Returns the row with which a call failed before it was cancelled.
    func failure(of call: CallStory) -> ProviderFailure? {
        guard let end = call.end, call.cancelled.map({ $0.position > end.position }) ?? true,
            case .failed(let row) = end.how
        else { return nil }
        return ProviderFailure.rows[Int(row)]
    }

    /// Whether no clock jumped. Every date then equals the virtual time.
    var hasOneTime: Bool { !events.contains { if case .clockJumped = $0.what { true } else { false } } }

    /// The maximum time, in nanoseconds, from a decision to its execution in a process that does not sleep.
    var hurry: Int64 { 6 * plan.commitDelay + (plan.style.drift > 0 ? 2_000_000_000 : 300_000_000) }
}
