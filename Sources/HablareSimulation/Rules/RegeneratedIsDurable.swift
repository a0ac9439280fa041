import Hablare

/// G1, G3: if a regenerated request was acknowledged, it exists at the end, unless it was deleted. It is a new request,
/// and names the completed request that it replaces. The cache never answers it.
enum RegeneratedIsDurable: SimulationRule {
    static let name = "G1 regenerated means durable"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        var makers: [Int32: Int32] = [:]
        for operation in history.operations {
            guard case .regenerate(let old) = operation.operation, case .stored(let new)? = operation.result else {
                continue
            }
            let who = "request \(new), regenerated from \(old) by operation \(operation.number),"
            if Int(new) < history.plan.requests.count { found.append("\(who) is not a new request") }
            if let other = makers[new] { found.append("\(who) is the request of operation \(other)") }
            makers[new] = operation.number
            check(new, of: old, operation, who, history, &found)
        }
        return found
    }

    private static func check(
        _ new: Int32, of old: Int32, _ operation: OperationStory, _ who: String, _ history: SimulationHistory,
        _ found: inout [String]
    ) {
        let story = history.requests[new]
        guard story?.deletes.isEmpty ?? true else { return }
        for later in (story?.cancels ?? []) + (story?.retries ?? []) + (story?.others ?? [])
        where later.called > operation.end && later.result?.isRefused(.unknownRequest) == true {
            found.append("\(who) was not found by operation \(later.number)")
        }
        guard let final = history.final[new] else {
            found.append("\(who) was acknowledged and is missing")
            return
        }
        if final.supersedes != old { found.append("\(who) says that it supersedes \(final.supersedes ?? -1)") }
        if final.isFromCache { found.append("\(who) was answered from the cache") }
        guard let before = history.final[old], history.requests[old]?.deletes.isEmpty ?? true else { return }
        if before.phase != .completed { found.append("\(who) supersedes a request that is \(before.phase)") }
    }
}
