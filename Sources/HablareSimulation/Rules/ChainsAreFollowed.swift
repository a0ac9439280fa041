import Hablare

/// The providers of a fallback chain are called in order. A provider is called only after the previous provider has
/// failed in a way that another provider may avoid. The request does not fail in this way while a provider of the chain
/// has not been called.
enum ChainsAreFollowed: SimulationRule {
    static let name = "chains are followed"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        for story in history.stories where story.deletes.isEmpty {
            guard let planned = history.planned(story.number) else { continue }
            for call in story.calls where !planned.chain.contains(Int(call.provider)) {
                found.append(
                    "call \(call.number) of request \(story.number) calls p\(call.provider), which the request does not name"
                )
            }
            guard !story.isShared, let final = history.final[story.number] else { continue }
            order(story, planned.chain, final, history, &found)
            let said = story.outcomes.map(\.outcome) + [final.status]
            for case .failed(_, let number) in Set(said) where number >= 0 {
                let call = history.calls[Int(number)]
                if Int(call.provider) != planned.chain.last, !isLastWord(call, planned, history) {
                    found.append(
                        "request \(story.number) failed because of call \(number), but has further fallback providers")
                }
            }
        }
        return found
    }

    /// Checks the order of the attempts in the ledger. The ledger contains all attempts, including attempts that were
    /// not sent.
    private static func order(
        _ story: RequestStory, _ chain: [Int], _ final: FinalRecord, _ history: SimulationHistory,
        _ found: inout [String]
    ) {
        let entries = final.attempts.sorted { $0.attempt < $1.attempt }
        let positions = entries.map { entry in chain.firstIndex { SimulationNames.provider($0) == entry.provider } }
        if let first = positions.first, first != 0 {
            found.append("request \(story.number) is sent to \(entries[0].provider?.rawValue ?? "no provider") first")
        }
        for index in entries.indices.dropFirst() {
            guard let from = positions[index - 1], let to = positions[index] else {
                found.append("request \(story.number) has an attempt at a provider that the request does not name")
                continue
            }
            guard from != to else { continue }
            if to != from + 1 {
                found.append(
                    "request \(story.number) moved from position \(from) of its fallback chain to position \(to)")
            }
            let entry = entries[index - 1]
            // A late answer, after another provider has been asked, is discarded.
            if entry.outcome != .failed, entry.outcome != .discarded, !isRecordedAgain(entry, story, history) {
                found.append(
                    "request \(story.number) continued after attempt \(entry.attempt), which is \(entry.outcome)")
            }
            guard let call = story.calls.first(where: { $0.attempt == entry.attempt }) else { continue }
            if history.failure(of: call)?.code == .invalidRequest {
                found.append("request \(story.number), which is invalid, continued after call \(call.number)")
            }
        }
    }

    /// Returns whether the attempt failed, but is recorded as cancelled. A process records an end again if the outcome of
    /// its commit is unknown. If the request was cancelled in between, the new record says so.
    private static func isRecordedAgain(
        _ entry: FinalRecord.Attempt, _ story: RequestStory, _ history: SimulationHistory
    ) -> Bool {
        guard entry.outcome == .cancelled, let call = story.calls.first(where: { $0.attempt == entry.attempt }),
            let end = call.end
        else { return false }
        return (story.cancels + history.massCancels).contains { cancel in
            cancel.end > end.position
                && history.processes[Int(call.process)].wasFailed(from: end.position, to: cancel.end)
        }
    }

    /// Returns whether the call must not be followed by a call to another provider. This is the case if the request
    /// itself is invalid, or if a reader has already received a part of the answer. It is also the case if a later call
    /// resumes the work, which must not be started twice.
    private static func isLastWord(
        _ call: CallStory, _ planned: SimulationPlan.Request, _ history: SimulationHistory
    ) -> Bool {
        guard let end = call.end, case .failed(let row) = end.how else { return true }
        // When the deadline has passed by the caller's clock, the request fails even if other providers are left.
        if let deadline = planned.deadline, !history.hasOneTime || end.time + history.hurry >= deadline { return true }
        if ProviderFailure.rows[Int(row)].code == .invalidRequest { return true }
        // The request waits to resume its work, and fails when the deadline would pass before that.
        let hasHandle = call.remembered != nil || call.handed != nil
        if planned.unknownOutcome == .hold, planned.deadline != nil, hasHandle { return true }
        return planned.streaming.map { !$0.allowsRestart && history.hasBegun(call) } ?? false
    }
}
