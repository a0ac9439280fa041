/// If a cancelled call asks whether an attempt still needs its work, the answer of the engine is true. If the answer is
/// no, the work is never passed to a later call. If the answer is yes, the request is not cancelled. Either the process
/// still holds the request, or the resume handle of the work is on disk.
enum OnlyWantedWorkIsResumed: SimulationRule {
    static let name = "what is wanted goes on"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        for story in history.stories where !story.isMurky {
            for call in story.calls {
                guard let asked = call.asked else { continue }
                let words = "call \(call.number) of request \(story.number) was told that its work is"
                if !asked.isWanted {
                    let later = story.calls.first { $0.started > asked.position && $0.handed == call.work }
                    if let later { found.append("\(words) not wanted, but call \(later.number) received this work") }
                } else if isOver(call, story) {
                    found.append("\(words) wanted, but its request was cancelled")
                } else if call.remembered == nil, call.handed == nil, isLost(call, history),
                    // After a commit with an unknown outcome, the call may have stored its handle without knowing it.
                    !story.calls.contains(where: { $0.handed == call.work })
                {
                    found.append("\(words) wanted, but no process knows of this work")
                }
            }
        }
        return found
    }

    /// Returns whether a cancellation of the request was acknowledged before the call was stopped.
    private static func isOver(_ call: CallStory, _ story: RequestStory) -> Bool {
        guard let stopped = call.cancelled else { return false }
        return story.cancels.contains { $0.result == .done && $0.called > call.started && $0.end < stopped.position }
    }

    /// Returns whether another process retired the call's process before the call was stopped. The call's process had
    /// registered only once, so its lease for the call was then broken.
    private static func isLost(_ call: CallStory, _ history: SimulationHistory) -> Bool {
        guard let stopped = call.cancelled else { return false }
        let process = history.processes[Int(call.process)]
        return process.registrations.count { $0.position < stopped.position } == 1
            && process.retirements.contains {
                $0.by != process.number && $0.position > call.started && $0.position < stopped.position
            }
    }
}
