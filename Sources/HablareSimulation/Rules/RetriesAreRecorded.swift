import Hablare

/// G1, G3: an acknowledged retry that nothing disturbs has one of these results: a new attempt, a request that still
/// waits for an attempt, or an ending that allows no attempt.
enum RetriesAreRecorded: SimulationRule {
    static let name = "G3 retries are recorded"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        for story in history.stories where !story.isMurky {
            guard let final = history.final[story.number] else { continue }
            for retry in story.retries where retry.result == .done && isUndisturbed(retry, story, history) {
                guard let before = retry.attemptsOnDisk[story.number], final.attemptCount <= before,
                    !isAllowed(final)
                else { continue }
                found.append(
                    "request \(story.number) was retried (operation \(retry.number)), but has no attempt after its \(before) attempts, and is "
                        + (final.waiting == .held ? "held" : "\(final.status)"))
            }
        }
        return found
    }

    /// Returns whether no cancellation is known that came after a retry or at the same time.
    private static func isUndisturbed(
        _ retry: OperationStory, _ story: RequestStory, _ history: SimulationHistory
    ) -> Bool {
        !(story.cancels + history.massCancels).contains {
            $0.end > retry.called && RequestStory.mayBeApplied($0)
        }
    }

    /// Returns whether a request may have its status without a new attempt.
    private static func isAllowed(_ final: FinalRecord) -> Bool {
        // A late answer of a lost attempt is accepted as long as no newer attempt was sent.
        switch final.status {
        case .completed, .expired, .lost: return true
        case .failed(let code, _):
            let ends: [AIServiceErrorCode] = [.deadlineExceeded, .budgetExceeded, .contentMissing]
            return ends.contains(AIServiceErrorCode(rawValue: code))
        case .cancelled: return false
        default: return final.waiting != .held
        }
    }
}
