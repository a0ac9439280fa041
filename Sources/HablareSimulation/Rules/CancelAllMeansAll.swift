import Hablare

/// G5: a cancellation of all requests, or of a job, cancels each live request that was acknowledged before. After the
/// cancellation, no attempt of such a request is started, and an attempt in flight does not determine the outcome. The
/// count that the cancellation returns is the number of requests that it cancelled.
enum CancelAllMeansAll: SimulationRule {
    static let name = "G5 cancelling all means all"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        for cancel in history.massCancels {
            guard case .count(let count)? = cancel.result, let position = cancel.returned else { continue }
            let covered = history.stories.filter { isCovered($0, by: cancel, history) }
            for story in covered { ended(story, cancel, position, history, &found) }
            let own = history.stories.filter { isItsDoing($0, cancel, history) }
            for call in own.filter({ !$0.isShared }).flatMap(\.calls) where call.isRunning(at: position) {
                CancelMeansCancel.stops(call, position, cancel, history, &found)
            }
            let most = history.stories.filter { mayBeLive($0, during: cancel, history) }.count
            if Int(count) < own.count {
                found.append(
                    "operation \(cancel.number) says that it cancelled \(count) requests, but it cancelled \(own.count)"
                )
            }
            if Int(count) > most {
                found.append(
                    "operation \(cancel.number) says that it cancelled \(count) requests, but at most \(most) were possible"
                )
            }
        }
        return found
    }

    // MARK: The requests concerned

    /// Returns whether the cancellation must have cancelled a request. For this, the request and all requests that
    /// share its work must have been acknowledged before the cancellation. None of them may have been deleted, or
    /// retried after the cancellation.
    private static func isCovered(
        _ story: RequestStory, by cancel: OperationStory, _ history: SimulationHistory
    ) -> Bool {
        history.company(of: story.number).allSatisfy { number in
            guard let member = history.requests[number], member.deletes.isEmpty, isMeant(member, by: cancel, history),
                Int(number) < history.plan.requests.count,
                let acknowledged = AcknowledgedIsDurable.acknowledgement(of: member, in: history)
            else { return false }
            // A regenerated request is not covered, and a concurrent retry may follow the cancellation.
            return acknowledged < cancel.called
                && !member.retries.contains { $0.end > cancel.called && RequestStory.mayBeApplied($0) }
        }
    }

    /// Returns whether a request belongs to the cancelled job.
    private static func isMeant(
        _ story: RequestStory, by cancel: OperationStory, _ history: SimulationHistory
    ) -> Bool {
        guard case .cancelJob(let key) = cancel.operation else { return true }
        return story.submits.contains { submit in
            guard case .submitJob(key, _, _) = submit.operation, case .storedJob(let job)? = submit.result else {
                return false
            }
            return submit.end < cancel.called && history.jobs[Int(job)].contains(story.number)
        }
    }

    // MARK: The effect

    private static func ended(
        _ story: RequestStory, _ cancel: OperationStory, _ position: Int, _ history: SimulationHistory,
        _ found: inout [String]
    ) {
        let who = "request \(story.number), which operation \(cancel.number) had cancelled"
        for call in story.calls where call.started > position {
            if let attempts = cancel.attemptsOnDisk[story.number], call.attempt > attempts {
                found.append("call \(call.number) of \(who), was journalled after the cancellation")
            }
        }
        guard let final = history.final[story.number] else { return }
        if history.stays(story.number) { found.append("\(who), is \(final.status)") }
        switch final.status {
        case .completed(let number), .failed(_, let number):
            if history.calls.indices.contains(Int(number)), history.calls[Int(number)].end?.position ?? 0 > position {
                found.append("\(who), has the outcome of call \(number), which ended later")
            }
        default: break
        }
    }

    // MARK: The count

    /// Returns whether a request is cancelled and only this operation can have cancelled it.
    private static func isItsDoing(
        _ story: RequestStory, _ cancel: OperationStory, _ history: SimulationHistory
    ) -> Bool {
        guard story.deletes.isEmpty, story.retries.isEmpty, history.final[story.number]?.phase == .cancelled else {
            return false
        }
        return !(story.cancels + history.massCancels).contains {
            $0.number != cancel.number && RequestStory.mayBeApplied($0)
        }
    }

    /// Returns whether a request may have been live when the cancellation ran. This is the case if it was submitted and
    /// not known to be final.
    private static func mayBeLive(
        _ story: RequestStory, during cancel: OperationStory, _ history: SimulationHistory
    ) -> Bool {
        let isRegenerated = Int(story.number) >= history.plan.requests.count
        let isAskedFor = story.submits.contains { submit in
            guard submit.called < cancel.end else { return false }
            guard case .cancelJob(let key) = cancel.operation else { return true }
            if case .submitJob(key, _, _) = submit.operation { return true }
            return false
        }
        guard isRegenerated || isAskedFor else { return false }
        guard history.final[story.number] != nil || !story.deletes.isEmpty else { return false }
        let isOver = story.outcomes.contains { $0.position < cancel.called }
        return !isOver || !story.deletes.isEmpty || story.retries.contains { $0.called < cancel.end }
    }
}

extension SimulationHistory {
    /// The operations that cancel all requests, or all requests of a job.
    var massCancels: [OperationStory] {
        operations.filter { operation in
            switch operation.operation {
            case .cancelAll, .cancelJob: true
            default: false
            }
        }
    }
}
