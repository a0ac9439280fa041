import Hablare

/// G1, G3: a retry that was acknowledged, and that nothing came in the way of, is a new attempt of its request, or one
/// that the request still waits for, or the request was ended for a reason that allows none.
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
                    "request \(story.number) was retried (\(retry.number)), has no attempt after its \(before) and is "
                        + (final.waiting == .held ? "held" : "\(final.status)"))
            }
        }
        return found
    }

    /// Whether nobody cancelled the request after a retry, or at the same time, for all that is known.
    private static func isUndisturbed(
        _ retry: OperationStory, _ story: RequestStory, _ history: SimulationHistory
    ) -> Bool {
        !(story.cancels + history.massCancels).contains {
            $0.end > retry.called && RequestStory.mayBeApplied($0)
        }
    }

    /// Whether a request may be what it is without a new attempt.
    private static func isAllowed(_ final: FinalRecord) -> Bool {
        // Of an attempt that was lost, or is said to have been, a late answer is taken as long as no newer one was sent.
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
