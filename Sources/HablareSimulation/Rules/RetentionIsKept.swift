import Hablare

/// An answer is evicted only if an operation asks for it, and never while the answer is protected. The oldest answers
/// are evicted first. If an answer was evicted, operations report this, and the provider is not called again for the
/// request.
enum RetentionIsKept: SimulationRule {
    static let name = "retention is kept"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        let prunes = history.operations.filter { if case .prune = $0.operation { true } else { false } }
        for story in history.stories where story.deletes.isEmpty {
            let evictions = story.keepings.filter {
                if case .evict = $0.operation { mayBeApplied($0) } else { false }
            }
            for position in givenUp(story, history) {
                let evicted = evictions.contains { $0.called < position }
                let pruned = prunes.contains { prune in
                    prune.called < position && mayBeApplied(prune) && !isProtected(story, during: prune, history)
                        && mayBeOld(story, prune, history)
                }
                if !evicted, !pruned { found.append("the answer of request \(story.number) was evicted without need") }
            }
            for eviction in evictions where eviction.result == .done {
                if let final = history.final[story.number], final.status != .expired {
                    found.append("request \(story.number) was evicted, but is \(final.status)")
                }
                saysSo(story, after: eviction, history, &found)
            }
        }
        for prune in prunes { limit(prune, history, &found) }
        return found
    }

    /// Returns the positions in the trace at which an eviction of the answer was observed.
    private static func givenUp(_ story: RequestStory, _ history: SimulationHistory) -> [Int] {
        let told = story.others.compactMap { $0.result == .expired ? $0.returned : nil }
        return history.final[story.number]?.status == .expired ? told + [history.quiet] : told
    }

    /// Returns whether an operation that failed or never returned may have taken effect.
    private static func mayBeApplied(_ operation: OperationStory) -> Bool {
        guard case .refused(let number)? = operation.result else { return true }
        let code = AIServiceErrorCode(rawValue: number)
        return code != .unknownRequest && code != .invalidState
    }

    // MARK: Protection

    /// Returns whether a request protected its answer during the whole pruning.
    private static func isProtected(
        _ story: RequestStory, during prune: OperationStory, _ history: SimulationHistory
    ) -> Bool {
        let isPinned = story.keepings.contains { pin in
            guard case .pin = pin.operation, pin.result == .done, pin.end < prune.called else { return false }
            return !story.keepings.contains { unpin in
                if case .unpin = unpin.operation { unpin.end > pin.called && unpin.called < prune.end } else { false }
            }
        }
        let isInJob = story.submits.contains { submit in
            guard case .submitJob = submit.operation, case .storedJob(let job)? = submit.result else { return false }
            return submit.end < prune.called && history.jobs[Int(job)].contains(story.number)
        }
        return isPinned || isInJob || awaitsMerge(story, during: prune, history)
    }

    private static func awaitsMerge(
        _ story: RequestStory, during prune: OperationStory, _ history: SimulationHistory
    ) -> Bool {
        guard Int(story.number) < history.plan.requests.count,
            history.plan.requests[Int(story.number)].keepUntilMerged
        else { return false }
        return !story.keepings.contains { merge in
            if case .merged = merge.operation { merge.called < prune.end } else { false }
        }
    }

    // MARK: Limits

    /// Returns whether an answer may have been one of the older answers that a pruning evicts. This is possible if
    /// enough other answers arrived at about the same time or later.
    private static func mayBeOld(
        _ story: RequestStory, _ prune: OperationStory, _ history: SimulationHistory
    ) -> Bool {
        guard case .prune(let count) = prune.operation, count > 0, history.hasOneTime, !story.isShared else {
            return true
        }
        let entry = history.final[story.number]?.attempts.first { $0.outcome == .completed }
        guard let own = story.calls.first(where: { $0.attempt == entry?.attempt })?.end else { return true }
        // A sleeping process receives its answer later than the provider gives it.
        let slack =
            history.processes.contains { !$0.sleeps.isEmpty } ? Int64.max / 4 : 2 * history.hurry + 1_000_000_000
        let newer = history.calls.count { call in
            guard let end = call.end, call.request != story.number, end.position < prune.end,
                case .answered = end.how  // An unusable answer is kept, too, and counts.
            else { return false }
            return end.time + slack >= own.time
        }
        return newer >= count
    }

    /// Checks that at most `count` of the unprotected answers from before a pruning remain.
    private static func limit(_ prune: OperationStory, _ history: SimulationHistory, _ found: inout [String]) {
        guard case .prune(let count) = prune.operation, case .count? = prune.result, history.hasOneTime else { return }
        let left = history.stories.filter { story in
            guard !story.isMurky, story.keepings.isEmpty, history.planned(story.number)?.keepUntilMerged == false,
                !story.submits.contains(where: { if case .submitJob = $0.operation { true } else { false } }),
                case .completed? = history.final[story.number]?.status
            else { return false }
            return story.outcomes.contains { outcome in
                if case .completed = outcome.outcome { outcome.position < prune.called } else { false }
            }
        }
        if left.count > count {
            found.append(
                "\(left.count) answers were left by operation \(prune.number), which must keep at most \(count)")
        }
    }

    // MARK: After an eviction

    /// Checks that after the eviction of an answer, no operation of the same process returns the answer, and the
    /// provider is not called for it again. For other processes, the eviction takes effect later.
    private static func saysSo(
        _ story: RequestStory, after eviction: OperationStory, _ history: SimulationHistory, _ found: inout [String]
    ) {
        for operation in story.others where operation.process == eviction.process && operation.called > eviction.end {
            if case .completed? = operation.result {
                found.append("operation \(operation.number) received an answer that had been evicted")
            }
        }
        for call in story.calls
        where call.started > eviction.end && !story.isShared
            && !history.mayBeStale(call.process, at: call.started)
        {
            found.append("call \(call.number) began for request \(story.number), whose answer was evicted")
        }
    }
}
