/// What a call is told that asks whether somebody goes on with its work is so: what nobody wants is never handed to a
/// later call, and what somebody wants is the call's own request still, or on disk.
enum WantedGoesOn: SimulationRule {
    static let name = "what is wanted goes on"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        for story in history.stories where !story.isMurky {
            for call in story.calls {
                guard let asked = call.asked else { continue }
                let words = "call \(call.number) of request \(story.number) was told that its work is"
                if !asked.isWanted {
                    let later = story.calls.first { $0.started > asked.place && $0.handed == call.work }
                    if let later { found.append("\(words) not wanted, and call \(later.number) was handed it") }
                } else if isOver(call, story) {
                    found.append("\(words) wanted, and its request was cancelled")
                } else if call.remembered == nil, call.handed == nil, isLost(call, history),
                    // Where a commit has an unknown outcome it may have remembered its work and not have heard of it.
                    !story.calls.contains(where: { $0.handed == call.work })
                {
                    found.append("\(words) wanted, which nobody knows of")
                }
            }
        }
        return found
    }

    /// Whether somebody had been told that the request is cancelled before the call was told to stop.
    private static func isOver(_ call: CallStory, _ story: RequestStory) -> Bool {
        guard let stopped = call.cancelled else { return false }
        return story.cancels.contains { $0.result == .done && $0.called > call.started && $0.end < stopped.place }
    }

    /// Whether the call's process had been taken for dead before the call was told to stop, by somebody else, and had
    /// registered once only: so the lease that was broken is the call's.
    private static func isLost(_ call: CallStory, _ history: SimulationHistory) -> Bool {
        guard let stopped = call.cancelled else { return false }
        let process = history.processes[Int(call.process)]
        return process.registrations.count { $0.place < stopped.place } == 1
            && process.retirements.contains {
                $0.by != process.number && $0.place > call.started && $0.place < stopped.place
            }
    }
}
