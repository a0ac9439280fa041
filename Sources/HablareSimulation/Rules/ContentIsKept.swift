/// G1: the content that belongs to a UUID never changes. A submission with the same UUID and different content is
/// refused as a conflict, and the first content stays. Only such submissions are refused as conflicts.
enum ContentIsKept: SimulationRule {
    static let name = "G1 content is kept"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        for story in history.stories where !story.isMurky && Int(story.number) < history.plan.requests.count {
            var acknowledged: Set<Int32> = []
            var asked: Set<Int32> = []
            for submit in story.submits {
                let content =
                    switch submit.operation {
                    case .submit(_, let content): content
                    default: history.plan.requests[Int(story.number)].content
                    }
                asked.insert(content)
                if case .submitJob = submit.operation { continue }
                if RequestStory.isAcknowledged(submit) { acknowledged.insert(content) }
            }
            if acknowledged.count > 1 { found.append("request \(story.number) was stored with two contents") }
            if asked.count == 1, story.submits.contains(where: { $0.result?.isRefused(.conflict) == true }),
                story.submits.allSatisfy({ if case .submitJob = $0.operation { false } else { true } })
            {
                found.append("request \(story.number) is reported to conflict with itself")
            }
            for call in story.calls where !asked.contains(call.content) {
                found.append("call \(call.number) got content \(call.content), which no client submitted")
            }
            let sent = Set(story.calls.map(\.content))
            if sent.count > 1 { found.append("request \(story.number) was sent with two contents") }
            if let stored = acknowledged.first, let other = sent.first, stored != other {
                found.append(
                    "request \(story.number) was acknowledged with content \(stored), but sent with content \(other)")
            }
        }
        return found
    }
}
