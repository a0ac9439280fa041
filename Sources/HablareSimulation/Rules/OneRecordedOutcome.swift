/// G1, G3: all operations report the same outcome of a request, and it is the outcome in the store. Each submission or
/// explicit retry leads to one outcome. A completed request stays completed.
enum OneRecordedOutcome: SimulationRule {
    static let name = "G3 one outcome"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        for story in history.stories where !story.isMurky && !history.stays(story.number) {
            let outcomes = story.outcomes
            guard !outcomes.isEmpty else { continue }
            guard let final = history.final[story.number] else {
                found.append("request \(story.number) had an outcome and is missing")
                continue
            }
            let told = Set(outcomes.map(\.outcome))
            let completed = told.filter { if case .completed = $0 { true } else { false } }
            if completed.count > 1 { found.append("request \(story.number) was completed twice: \(completed)") }
            if let answer = completed.first, final.status != answer, !final.status.isGone {
                found.append(
                    "request \(story.number): the client received \(answer), but the store recorded \(final.status)")
            }
            let isGivenUp = final.status.isGone && !completed.isEmpty
            let mayBeRetried = story.retries.count
            let all = told.union(final.status.outcome.map { [$0] } ?? [])
            if all.count > 1 + mayBeRetried {
                found.append("request \(story.number) had outcomes \(all) with \(mayBeRetried) retries")
            }
            // An outcome reported before any retry is that of the first life.
            if mayBeRetried == 0, let outcome = told.first, final.status != outcome, !isGivenUp {
                found.append(
                    "request \(story.number): the client received \(outcome), but the store recorded \(final.status)")
            }
        }
        return found
    }
}
