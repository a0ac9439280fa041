import Hablare

/// G7: no call is sent before its attempt is on disk. Each call has an entry in the ledger. The entry never states less
/// billing than was really billed.
enum NothingPaidInSilence: SimulationRule {
    static let name = "G7 nothing paid in silence"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        for call in history.calls where call.journalled < call.attempt {
            // The attempts of a deleted request are no longer reported.
            if history.requests[call.request]?.isMurky == true { continue }
            found.append("call \(call.number) was sent before its attempt was on disk")
        }
        if history.attempts < history.calls.count {
            found.append("there are \(history.calls.count) calls, but \(history.attempts) lines in the ledger")
        }
        for story in history.stories where !story.isMurky {
            guard let final = history.final[story.number] else {
                if !story.calls.isEmpty { found.append("request \(story.number) was sent, but is not in the store") }
                continue
            }
            var seen: Set<Int32> = []
            // A call returned at the shutdown may have been started by another process after the final reading.
            for call in story.calls where call.started < history.quiet {
                if !seen.insert(call.attempt).inserted {
                    found.append("attempt \(call.attempt) of request \(story.number) was sent twice")
                }
                guard let entry = final.attempts.first(where: { $0.attempt == call.attempt }) else {
                    found.append("call \(call.number) of request \(story.number) is not in the ledger")
                    continue
                }
                failsInTheLedger(call, history, &found)
                if truth(of: call, in: history) > weight(of: entry) {
                    found.append(
                        "call \(call.number), \(call.end.map { "\($0.how)" } ?? "unended"), has the ledger line \(entry)"
                    )
                }
            }
            for entry in final.attempts where weight(of: entry) == 2 && !seen.contains(entry.attempt) {
                found.append("attempt \(entry.attempt) of request \(story.number) is billed, but was never sent")
            }
        }
        return found
    }

    private static func weight(of entry: FinalRecord.Attempt) -> Int {
        switch entry.billing {
        case .neverSent: 0
        case .maybeBilled: 1
        case .billed, .billedDiscarded: 2
        }
    }

    /// Checks that a call that failed undisturbed is also a failure in the ledger. Retries, holds and pauses depend on
    /// this entry. If the request was cancelled or deleted, the ledger may say so instead. Failures while there is no
    /// network are not checked.
    private static func failsInTheLedger(_ call: CallStory, _ history: SimulationHistory, _ found: inout [String]) {
        guard history.isUndisturbed(call), history.failure(of: call) != nil, let story = history.requests[call.request],
            story.cancels.isEmpty, story.deletes.isEmpty, story.massCancels == 0,
            !history.isOffline(call, within: history.hurry), let entry = history.entry(of: call),
            entry.outcome != .failed
        else { return }
        found.append("call \(call.number) failed, but the ledger says \(entry.outcome)")
    }

    /// Returns the billing that the entry of a call in the ledger must state at least.
    private static func truth(of call: CallStory, in history: SimulationHistory) -> Int {
        let process = history.processes[Int(call.process)]
        guard let end = call.end else { return call.hasResumed ? 0 : 1 }
        // Resumed work was begun by another call, and is billed only with its answer.
        if end.how.billing < 2 { return call.hasResumed ? 0 : end.how.billing }
        // A newer call that resumes the same work records its cost. A call that only resumed it has nothing to record.
        let least = call.hasResumed ? 0 : 1
        let isToldByNewer = history.requests[call.request]?.calls.contains { newer in
            newer.attempt > call.attempt && newer.handed == call.work
        }
        if isToldByNewer == true { return least }
        // The next call of a held request with remembered work also records the cost.
        if call.remembered != nil || call.hasResumed {
            if history.final[call.request]?.waiting == .held { return least }
            // A request that lost its prompt cannot be sent again, so no other call resumes its work.
            if history.lostFiles.contains(where: { $0.file == .prompt(call.content) }) { return least }
        }
        // The answer reaches the ledger unless the process dies, ends or cannot write first.
        let isUndisturbed =
            !process.hasCrashed && process.storeFailures.isEmpty
            && !process.slept(from: end.time, to: history.quietTime)
            && end.position < process.shutdownOrdered ?? .max
            && end.time + 1_000_000_000 < history.quietTime
        return isUndisturbed ? 2 : 1
    }
}
