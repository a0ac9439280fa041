/// G1: an acknowledged request exists at the end. A request that was never submitted does not exist.
enum AcknowledgedIsDurable: SimulationRule {
    static let name = "G1 acknowledged means durable"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        for story in history.stories where !story.isMurky {
            for submit in story.submits {
                guard case .stored(let stored)? = submit.result else { continue }
                if stored != story.number { found.append("request \(story.number) was stored as \(stored)") }
            }
            let acknowledged = acknowledgement(of: story, in: history)
            guard let acknowledged else { continue }
            if history.final[story.number] == nil {
                found.append("request \(story.number) was acknowledged and is missing")
            }
            // After the acknowledgement, no operation reports the request as unknown.
            for operation in story.cancels + story.retries + story.others
            where operation.called > acknowledged && operation.result?.isRefused(.unknownRequest) == true {
                found.append("operation \(operation.number) did not find request \(story.number)")
            }
        }
        for record in history.final.values.sorted(by: { $0.request < $1.request }) {
            let isRegenerated = Int(record.request) >= history.plan.requests.count
            if isRegenerated ? record.supersedes == nil : history.requests[record.request]?.submits.isEmpty != false {
                found.append("request \(record.request) was never submitted")
            }
        }
        return found + jobs(history)
    }

    /// Returns the position in the trace at which a request was first acknowledged. Positions are indices of events.
    static func acknowledgement(of story: RequestStory, in history: SimulationHistory) -> Int? {
        story.submits.compactMap { submit -> Int? in
            guard RequestStory.isAcknowledged(submit) else { return nil }
            if case .storedJob(let job)? = submit.result, !history.jobs[Int(job)].contains(story.number) { return nil }
            return submit.returned
        }.min()
    }

    /// Checks that each position in a job has exactly one request, however often the job was submitted.
    private static func jobs(_ history: SimulationHistory) -> [String] {
        var found: [String] = []
        var positions: [Int: Int32] = [:]
        for operation in history.operations {
            guard case .submitJob(let key, let offset, let asked) = operation.operation,
                case .storedJob(let job)? = operation.result
            else { continue }
            let ids = history.jobs[Int(job)]
            let first = Int(key) * 10_000 + offset
            if ids.count != asked.count { found.append("a job of \(asked.count) was stored as \(ids.count)") }
            for (offset, id) in ids.enumerated() where history.requests[id]?.isMurky == false {
                if let known = positions[first + offset], known != id, history.requests[known]?.isMurky == false {
                    found.append("position \(first + offset) of the job had request \(known) and then request \(id)")
                }
                positions[first + offset] = id
                if history.final[id] == nil { found.append("request \(id) of the job was acknowledged and is missing") }
            }
        }
        return found
    }
}
