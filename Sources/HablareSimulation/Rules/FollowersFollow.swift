import Hablare

/// If a snapshot says that a request waits for another request, the other request is earlier, live and for the same
/// work. No request waits because of a missing provider if every process has the provider.
enum FollowersFollow: SimulationRule {
    static let name = "followers follow"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        for story in history.stories {
            for operation in story.others {
                guard case .waiting(let reason)? = operation.result else { continue }
                switch reason {
                case .following(let leader): check(leader, operation, story, history, &found)
                case .noProvider:
                    found.append(
                        "request \(story.number) waits for a provider that is registered (\(operation.number))")
                default: continue
                }
            }
        }
        return found
    }

    private static func check(
        _ number: Int32, _ operation: OperationStory, _ story: RequestStory, _ history: SimulationHistory,
        _ found: inout [String]
    ) {
        let who = "request \(story.number) follows request \(number) (\(operation.number))"
        guard number != story.number else { return found.append("\(who), which is the same request") }
        guard let leader = history.requests[number] ?? nil else { return found.append("\(who), which does not exist") }
        // A deleted request belongs to no company, and may have been submitted again.
        guard leader.deletes.isEmpty, story.deletes.isEmpty else { return }
        if !history.company(of: story.number).contains(number) {
            found.append("\(who), which has another prompt")
        }
        let isRegenerated = Int(number) >= history.plan.requests.count
        if !isRegenerated, !leader.submits.contains(where: { $0.called < operation.end }) {
            found.append("\(who), which was not submitted yet")
        }
        // The outcome is announced after it is on disk, and a retry begins another life.
        guard let outcome = leader.outcomes.first, outcome.position < operation.called, leader.retries.isEmpty else {
            return
        }
        found.append("\(who), which was already \(outcome.outcome)")
    }
}
