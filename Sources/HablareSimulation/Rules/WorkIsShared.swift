import Hablare

/// G6: requests for the same work share one call and one answer, also if they are submitted in different processes.
enum WorkIsShared: SimulationRule {
    static let name = "G6 work is shared"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        for company in history.companies {
            let stories = company.compactMap { history.requests[$0] }
            check(stories, history, &found)
        }
        return found
    }

    private static func check(_ stories: [RequestStory], _ history: SimulationHistory, _ found: inout [String]) {
        // A retry, deletion or regeneration asks for a call of its own. Work cancelled by all its requests starts
        // again.
        let isPlain = stories.allSatisfy { story in
            story.deletes.isEmpty && story.retries.isEmpty && story.cancels.isEmpty && story.massCancels == 0
                && Int(story.number) < history.plan.requests.count
                && history.plan.requests[Int(story.number)].deadline == nil
        }
        let calls = stories.flatMap(\.calls).sorted { $0.started < $1.started }
        // The first submission of a UUID decides its content.
        guard isPlain, Set(calls.map(\.content)).count <= 1 else { return }
        for (index, later) in calls.enumerated() {
            for earlier in calls[..<index] {
                if earlier.isRunning(at: later.started), !mayOverlap(earlier, later, history) {
                    found.append(
                        "calls \(earlier.number) and \(later.number), which do the same work, overlap")
                }
                if isDone(earlier, before: later, stories, history) {
                    found.append(
                        "call \(later.number) was sent, although call \(earlier.number) had already answered the same work"
                    )
                }
            }
        }
        for call in calls where history.isUndisturbed(call) && isAnswer(call, history) {
            for story in stories where wasThere(story, at: call.started, history) {
                guard let final = history.final[story.number], !history.mayBeOfOtherContent(story) else { continue }
                if case .completed = final.status { continue }
                if final.status.isGone { continue }
                // It had failed before, by an earlier call or by an engine error.
                if case .failed(_, let by) = final.status, by < call.number { continue }
                found.append("call \(call.number) answered request \(story.number), which is \(final.status)")
            }
        }
    }

    private static func mayOverlap(_ earlier: CallStory, _ later: CallStory, _ history: SimulationHistory) -> Bool {
        let process = history.processes[Int(earlier.process)]
        let grace = history.plan.configuration.cancellationGrace.nanoseconds
        let isGivenUp = earlier.cancelled.map { $0.time + grace <= later.startedAt } ?? false
        return isGivenUp || process.isDead(at: later.started)
            || history.hasLostItsLease(earlier, before: later.started)
            || history.mayBeStale(later.process, at: later.started)
    }

    private static func isAnswer(_ call: CallStory, _ history: SimulationHistory) -> Bool {
        call.end?.how == .answered(isPromisedType: true) && !history.isAnsweredInVain(call)
    }

    /// Returns whether an earlier call had answered all requests before a later call began.
    private static func isDone(
        _ earlier: CallStory, before later: CallStory, _ stories: [RequestStory], _ history: SimulationHistory
    ) -> Bool {
        guard let end = earlier.end, isAnswer(earlier, history), end.position < later.started,
            history.isUndisturbed(earlier), !history.mayBeStale(later.process, at: later.started)
        else { return false }
        return stories.allSatisfy { wasThere($0, at: earlier.started, history) }
    }

    /// Returns whether a request was on disk at a position in the trace. This is the case if it was acknowledged under
    /// its own UUID, and not as another request at the same position in the job.
    private static func wasThere(_ story: RequestStory, at position: Int, _ history: SimulationHistory) -> Bool {
        AcknowledgedIsDurable.acknowledgement(of: story, in: history).map { $0 < position } ?? false
    }
}
