import Hablare

/// G1, G3: an acknowledged retry that is not disturbed has one of these results: a new attempt, a request that still
/// waits for an attempt, or an end of the request that allows no attempt.
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

    /// Returns whether no cancellation came after the retry or at the same time, as far as the history shows.
    private static func isUndisturbed(
        _ retry: OperationStory, _ story: RequestStory, _ history: SimulationHistory
    ) -> Bool {
        !(story.cancels + history.massCancels).contains {
            $0.end > retry.called && RequestStory.mayBeApplied($0)
        }
    }

    /// Returns whether the status of a request is possible without a new attempt.
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
