import Hablare

/// No call begins at or after the deadline of its request, according to the date of the call's process. A call in
/// flight at the deadline is stopped. No request fails because of its deadline before the deadline has passed.
enum DeadlinesAreKept: SimulationRule {
    static let name = "deadlines are kept"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        let offsets = Offsets(history)
        let bug = AIServiceErrorCode.deadlineExceeded.rawValue
        for story in history.stories where !story.isMurky {
            // A regenerated request has no deadline.
            let isOwn = Int(story.number) < history.plan.requests.count
            let deadline = isOwn ? history.planned(story.number)?.deadline : nil
            for (position, outcome) in story.outcomes {
                guard case .failed(bug, _) = outcome else { continue }
                let latest = history.events[position].time + offsets.furthest
                if deadline.map({ latest + 1000 < $0 }) ?? true {
                    found.append("request \(story.number) failed because of a deadline that had not passed")
                }
            }
            guard let deadline else { continue }
            if let final = history.final[story.number], case .failed(bug, _) = final.status, history.hasOneTime,
                story.retries.contains(where: {
                    $0.result == .done && history.events[$0.called].time > deadline + 1000
                })
            {
                found.append(
                    "request \(story.number) was retried after its deadline, and failed because of this deadline")
            }
            // A retry drops a deadline that has passed.
            let retried = story.retries.filter(RequestStory.mayBeApplied).map(\.called).min() ?? .max
            for call in story.calls where call.started < retried {
                if call.startedAt + offsets.offset(of: call.process, at: call.started) > deadline + 1000 {
                    found.append("call \(call.number) of request \(story.number) began after the deadline")
                }
                stopped(call, deadline, retried, history, &found)
            }
            guard retried == .max, history.hasOneTime, let final = history.final[story.number] else { continue }
            let grace = 2 * history.plan.configuration.renewalInterval.nanoseconds + history.hurry
            if final.status.outcome == nil, !final.status.isGone, deadline + grace < history.quietTime,
                history.faultsEndedTime + grace < history.quietTime
            {
                found.append("request \(story.number) is past its deadline, but is \(final.status)")
            }
        }
        return found
    }

    /// Checks that a call in flight at the deadline is stopped.
    private static func stopped(
        _ call: CallStory, _ deadline: Int64, _ retried: Int, _ history: SimulationHistory, _ found: inout [String]
    ) {
        guard history.hasOneTime, call.startedAt <= deadline else { return }
        let process = history.processes[Int(call.process)]
        let plan = history.plan
        // A single process enforces its own deadline immediately.
        let news = plan.slots == 1 ? 0 : plan.configuration.renewalInterval.nanoseconds + plan.signalDelay
        let limit = deadline + news + 2 * history.hurry + 300_000_000
        guard limit < history.quietTime else { return }
        let isStopped = (call.cancelled?.time ?? .max) <= limit || (call.end?.time ?? .max) <= limit
        let isExcused =
            process.deathTime <= limit || process.slept(from: call.startedAt, to: limit)
            || !process.storeFailures.isEmpty || process.shutdownTime <= limit
            || process.retirements.contains { $0.time <= limit } || retried < .max
        if !isStopped, !isExcused {
            found.append("call \(call.number) of request \(call.request) continues long after the deadline")
        }
    }

    /// The differences between the dates of processes and the virtual time.
    private struct Offsets {
        private var jumps: [Int32: [(position: Int, by: Int64)]] = [:]
        /// The maximum time by which the date of any process was ahead.
        private(set) var furthest: Int64 = 0

        init(_ history: SimulationHistory) {
            var sums: [Int32: Int64] = [:]
            for (position, event) in history.events.enumerated() {
                guard case .clockJumped(let milliseconds) = event.what else { continue }
                jumps[event.process, default: []].append((position, milliseconds * 1_000_000))
                sums[event.process, default: 0] += milliseconds * 1_000_000
                furthest = max(furthest, sums[event.process] ?? 0)
            }
        }

        func offset(of process: Int32, at position: Int) -> Int64 {
            jumps[process]?.reduce(0) { $0 + ($1.position < position ? $1.by : 0) } ?? 0
        }
    }
}
