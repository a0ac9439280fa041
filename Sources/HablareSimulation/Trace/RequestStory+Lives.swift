import Hablare

/// A request's lives: one begins when it is submitted, and another with each explicit retry.
extension RequestStory {
    /// The spans of the trace in which nobody can have begun a new life: between the retries that may have been
    /// applied, each from its call to its return (or for ever, when nobody knows).
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

    /// Whether a retry may have been applied: also one whose process died, or was told that the store had failed.
    static func mayBeApplied(_ retry: OperationStory) -> Bool {
        guard case .refused(let number)? = retry.result else { return true }
        let code = AIServiceErrorCode(rawValue: number)
        return code != .unknownRequest && code != .invalidState
    }
}

extension SimulationHistory {
    /// Whether a call's process could record its end as the request's own: nobody had broken its leases while it lived,
    /// and it had not given them back itself, to rest, before the store took what it had to record.
    func isTrusted(_ call: CallStory) -> Bool {
        let process = processes[Int(call.process)]
        let end = call.end?.place ?? .max
        return process.retirements.allSatisfy { retirement in
            retirement.by == process.number
                ? !process.storeFailures.contains { $0 > end && $0 < retirement.place }
                : retirement.place > process.death ?? .max
        }
    }

    /// Whether nothing came between a call and the recording of its answer, which takes less than two seconds.
    func isUndisturbed(_ call: CallStory) -> Bool {
        let process = processes[Int(call.process)]
        guard let end = call.end, call.cancelled == nil, !mayBeStale(call.process, at: call.started) else {
            return false
        }
        let recorded = end.time + 2_000_000_000
        return process.deathTime > recorded && process.storeFailures.isEmpty && process.sleeps.isEmpty
            && !process.retirements.contains { $0.place > call.started && $0.time <= recorded }
            && end.place < process.shutdownOrdered ?? .max && recorded < quietTime
    }

    /// Whether a process may act on leases that it has lost: its registration had ended, and it had not registered anew,
    /// or so lately that what it had journalled before may still be on its way.
    func mayBeStale(_ process: Int32, at place: Int) -> Bool {
        let story = processes[Int(process)]
        guard let loss = story.retirements.last(where: { $0.place < place }) else { return false }
        guard let anew = story.registrations.first(where: { $0.place > loss.place }), anew.place < place else {
            return true
        }
        return anew.time + hurry >= events[place].time
    }

    /// Whether a call's process had no lease for it any more when something happened, or had none from the start.
    func hasLostItsLease(_ call: CallStory, before place: Int) -> Bool {
        mayBeStale(call.process, at: call.started)
            || processes[Int(call.process)].lostLeases(from: call.started, to: place)
    }

    /// What the ledger says of a call.
    func line(of call: CallStory) -> FinalRecord.Attempt? {
        final[call.request]?.attempts.first { $0.attempt == call.attempt }
    }

    /// Whether the provider failed a call and the engine took it for the request's failure.
    func hasFailed(_ call: CallStory) -> Bool {
        isTrusted(call) && call.end != nil && line(of: call)?.outcome == .failed
    }

    /// The row that a provider failed a call with, before anybody told it to stop.
    func failure(of call: CallStory) -> ProviderFailure? {
        guard let end = call.end, call.cancelled.map({ $0.place > end.place }) ?? true,
            case .failed(let row) = end.how
        else { return nil }
        return ProviderFailure.rows[Int(row)]
    }

    /// Whether no clock jumped, so that every date is the virtual time.
    var hasOneTime: Bool { !events.contains { if case .clockJumped = $0.what { true } else { false } } }

    /// How long at most, in nanoseconds, something that was decided takes to be done by a process that does not sleep.
    var hurry: Int64 { 6 * plan.commitDelay + (plan.style.drift > 0 ? 2_000_000_000 : 300_000_000) }
}
