import Hablare

/// G5: after a cancellation was acknowledged, the process that cancelled the request starts no call for it. Another
/// process may only start a call whose attempt it had already written to the store, and must stop it within a renewal
/// interval. The request stays cancelled until it is retried.
enum CancelMeansCancel: SimulationRule {
    static let name = "G5 cancel means cancel"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        for story in history.stories where !story.isMurky {
            for cancel in story.cancels {
                guard cancel.result == .done, let position = cancel.returned else { continue }
                check(cancel, position, story, history, &found)
            }
        }
        for story in history.stories where !story.isShared {
            for delete in story.deletes {
                guard delete.result == .done, let position = delete.returned,
                    !story.submits.contains(where: { $0.end > delete.called })
                else { continue }
                if history.final[story.number] != nil {
                    found.append("request \(story.number) was deleted, but is in the store")
                }
                if let call = story.calls.first(where: { $0.started > position && $0.process == delete.process }) {
                    found.append("call \(call.number) began after its request was deleted")
                }
            }
        }
        return found
    }

    private static func check(
        _ cancel: OperationStory, _ position: Int, _ story: RequestStory, _ history: SimulationHistory,
        _ found: inout [String]
    ) {
        // A concurrent retry may follow the cancellation.
        let end = story.retries.filter { $0.end > cancel.called }.map(\.called).min() ?? .max
        for call in story.calls where call.started > position && call.started < end {
            if call.process == cancel.process {
                found.append("call \(call.number) began after its own process had cancelled request \(story.number)")
            } else if let attempts = cancel.attemptsOnDisk[story.number], call.attempt > attempts {
                found.append("call \(call.number) was journalled after request \(story.number) had been cancelled")
            }
        }
        for call in story.calls where call.isRunning(at: position) && end > position {
            stops(call, position, cancel, history, &found)
        }
        if end == .max, let final = history.final[story.number], final.phase != .cancelled {
            found.append("request \(story.number) was cancelled, but is \(final.phase)")
        }
    }

    /// Returns whether the process of a call lost its lease before the time at which it must know of the cancellation.
    private static func losesItsLease(_ call: CallStory, until limit: Int64, _ history: SimulationHistory) -> Bool {
        history.mayBeStale(call.process, at: call.started)
            || history.processes[Int(call.process)].retirements.contains {
                $0.position > call.started && $0.time <= limit
            }
    }

    /// Checks that a call in flight is stopped. In the process that cancelled the request, the call is stopped before
    /// the acknowledgement. In another process, it is stopped soon afterwards.
    static func stops(
        _ call: CallStory, _ position: Int, _ cancel: OperationStory, _ history: SimulationHistory,
        _ found: inout [String]
    ) {
        let process = history.processes[Int(call.process)]
        if call.process == cancel.process {
            if call.cancelled.map({ $0.position > position }) ?? true {
                found.append("call \(call.number) continued after its own process had cancelled its request")
            }
            return
        }
        let plan = history.plan
        let time = history.events[position].time
        let limit =
            time + plan.configuration.renewalInterval.nanoseconds + plan.signalDelay + 20 * plan.commitDelay
            + 2_000_000_000
        let isStopped = (call.cancelled?.time ?? .max) <= limit || (call.end?.time ?? .max) <= limit
        let isExcused =
            process.deathTime <= limit || process.slept(from: time, to: limit) || !process.storeFailures.isEmpty
            || process.shutdownTime <= limit || losesItsLease(call, until: limit, history)
        if !isStopped, !isExcused, (history.events.last?.time ?? 0) > limit {
            found.append("call \(call.number) was not stopped in time after another process cancelled its request")
        }
    }
}
