import Hablare

/// The lives of a request, which are the periods between its explicit retries. The first life begins with the
/// submission. Each explicit retry begins a new life.
extension RequestStory {
    /// The parts of the trace in which certainly no new life began. They lie between the retries that may have taken
    /// effect. A retry lasts from its call to its return. If it never returned, it lasts to the end of the trace.
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

    /// Returns whether a retry may have taken effect. This is possible even if its process died or the store failed.
    static func mayBeApplied(_ retry: OperationStory) -> Bool {
        guard case .refused(let number)? = retry.result else { return true }
        let code = AIServiceErrorCode(rawValue: number)
        return code != .unknownRequest && code != .invalidState
    }
}

extension SimulationHistory {
    /// Returns whether the process of a call could record the end of the call as the end of the request's attempt. The
    /// result is `true` if two conditions are met:
    /// - No other process broke the process's leases during the call.
    /// - The process did not return its leases because of a suspension before the store accepted the record.
    func isTrusted(_ call: CallStory) -> Bool {
        let process = processes[Int(call.process)]
        let end = call.end?.position ?? .max
        return process.retirements.allSatisfy { retirement in
            retirement.by == process.number
                ? !process.storeFailures.contains { $0 > end && $0 < retirement.position }
                : retirement.position > process.death ?? .max
        }
    }

    /// Returns whether nothing disturbed a call and the recording of its answer. The recording is assumed to take less
    /// than two seconds.
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

    /// Returns whether a process may still use leases that it has lost. This is possible after its registration has
    /// ended and before it has registered again. It is also possible shortly after it has registered again, because an
    /// attempt from before may still be in flight.
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

    /// Returns whether the process of a call lost its lease for the call before an event, or never had this lease.
    func hasLostItsLease(_ call: CallStory, before position: Int) -> Bool {
        mayBeStale(call.process, at: call.started)
            || processes[Int(call.process)].lostLeases(from: call.started, to: position)
    }

    /// Returns the entry of a call in the ledger.
    func entry(of call: CallStory) -> FinalRecord.Attempt? {
        final[call.request]?.attempts.first { $0.attempt == call.attempt }
    }

    /// Returns whether a call failed and the ledger recorded this failure.
    func hasFailed(_ call: CallStory) -> Bool {
        isTrusted(call) && call.end != nil && entry(of: call)?.outcome == .failed
    }

    /// Returns the failure of a call that failed before it was cancelled.
    func failure(of call: CallStory) -> ProviderFailure? {
        guard let end = call.end, call.cancelled.map({ $0.position > end.position }) ?? true,
            case .failed(let row) = end.how
        else { return nil }
        return ProviderFailure.rows[Int(row)]
    }

    /// Whether no clock has jumped. In this case every date equals the virtual time.
    var hasOneTime: Bool { !events.contains { if case .clockJumped = $0.what { true } else { false } } }

    /// The maximum time, in nanoseconds, between a decision of the engine and its execution, in a process that does not
    /// sleep.
    var hurry: Int64 { 6 * plan.commitDelay + (plan.style.drift > 0 ? 2_000_000_000 : 300_000_000) }
}
