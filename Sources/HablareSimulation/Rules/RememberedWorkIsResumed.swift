import Hablare

/// G7: if a call has stored a resume handle, its work is resumed. If the handle is on disk and was not removed, no
/// later call of the request at the same provider starts the work again. No call receives the work of another request,
/// or work whose handle was removed.
enum RememberedWorkIsResumed: SimulationRule {
    static let name = "G7 remembered work goes on"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        for story in history.stories where !story.isMurky {
            for life in story.lives {
                let calls = story.calls.filter { life.contains($0.started) }
                for later in calls where later.handed == nil {
                    guard let last = lastWord(before: later, among: calls), !last.mayHaveForgotten, !last.hasIgnored
                    else { continue }
                    found.append(
                        "call \(later.number) of request \(story.number) starts the work of call \(last.number) again"
                    )
                }
            }
            for call in story.calls {
                guard let work = call.handed else { continue }
                check(call, work, story, history, &found)
            }
        }
        return found
    }

    /// Returns the newest earlier call at the same provider whose handle is on disk or that may have removed a handle.
    /// The store accepts a handle only from an attempt in flight. Therefore the newest attempt has the newest handle.
    private static func lastWord(before later: CallStory, among calls: [CallStory]) -> CallStory? {
        calls.filter { call in
            call.attempt < later.attempt && call.provider == later.provider
                && (call.remembered != nil || call.mayHaveForgotten || call.hasIgnored)
        }.max { $0.attempt < $1.attempt }
    }

    private static func check(
        _ call: CallStory, _ work: Int32, _ story: RequestStory, _ history: SimulationHistory, _ found: inout [String]
    ) {
        guard history.calls.indices.contains(Int(work)) else {
            return found.append("call \(call.number) received work that no call began")
        }
        let begun = history.calls[Int(work)]
        if begun.request != story.number || begun.provider != call.provider || begun.attempt >= call.attempt {
            found.append("call \(call.number) of request \(story.number) received the work of call \(work)")
        }
        let forgetful = story.calls.first { earlier in
            earlier.forgot != nil && earlier.attempt < call.attempt
                && (earlier.number == work || earlier.handed == work)
        }
        if let forgetful {
            found.append(
                "call \(call.number) received the work of call \(work), which call \(forgetful.number) forgot")
        }
        let retriesAfterCancellation = story.retries.filter { retry in
            retry.result == .done && retry.called > begun.started && retry.end < call.started
                && isCancelled(story, between: begun.started, retry.called)
        }
        if !retriesAfterCancellation.isEmpty {
            found.append(
                "call \(call.number) received the work of call \(work), which began before a retry of the request")
        }
    }

    /// Returns whether a request's cancellation was acknowledged between two positions in the trace. A retry that was
    /// called during the cancellation may precede it in the store, and then the attempt resumes the work.
    private static func isCancelled(_ story: RequestStory, between start: Int, _ end: Int) -> Bool {
        story.cancels.contains { $0.result == .done && $0.called > start && $0.end < end }
    }
}
