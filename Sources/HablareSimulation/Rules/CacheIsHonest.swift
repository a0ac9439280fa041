import Hablare

/// The cache returns only answers to the same work, and only answers that are young enough and were not evicted. If the
/// cache has an answer, no call for the same work is sent.
enum CacheIsHonest: SimulationRule {
    static let name = "the cache is honest"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        for record in history.final.values.sorted(by: { $0.request < $1.request }) where record.isFromCache {
            check(record, history, &found)
        }
        for operation in history.operations {
            guard case .peek(let request) = operation.operation, case .completed(let number)? = operation.result else {
                continue
            }
            check("a question for request \(request)", number, at: operation, of: request, history, &found)
        }
        for company in history.companies { checkThrift(company, history, &found) }
        return found
    }

    /// Checks a request that was answered from the cache.
    private static func check(_ record: FinalRecord, _ history: SimulationHistory, _ found: inout [String]) {
        guard let story = history.requests[record.request], !record.status.isGone else { return }
        if !story.calls.isEmpty, story.deletes.isEmpty {
            found.append("request \(record.request) is answered from the cache, but was sent")
        }
        guard case .completed(let number) = record.status else {
            found.append("request \(record.request) is answered from the cache, but is \(record.status)")
            return
        }
        // If several operations submitted it, the one that stored it is unknown. The check needs a single one.
        guard story.submits.count == 1, let submit = story.submits.first else { return }
        check("request \(record.request)", number, at: submit, of: record.request, history, &found)
    }

    /// Checks an answer that an operation found in the cache.
    private static func check(
        _ finder: String, _ number: Int32, at operation: OperationStory, of request: Int32,
        _ history: SimulationHistory, _ found: inout [String]
    ) {
        guard history.calls.indices.contains(Int(number)), let planned = history.planned(request) else {
            found.append("\(finder) was answered by call \(number), which does not exist")
            return
        }
        let call = history.answer(of: number, before: operation.end)
        guard let age = planned.caching.age else {
            found.append("\(finder) was answered from the cache, but requested a new answer")
            return
        }
        if call.content != planned.content || !planned.chain.contains(Int(call.provider)) {
            found.append("\(finder) was answered by call \(number), which was for another prompt")
        }
        guard let end = call.end, end.position < operation.end, end.how == .answered(isPromisedType: true) else {
            found.append("\(finder) was answered by call \(number), which had not answered")
            return
        }
        if call.cancelled == nil, history.planned(call.request)?.caching == .bypass,
            !history.company(of: call.request).contains(where: { history.planned($0)?.caching != .bypass })
        {
            found.append("\(finder) was answered by call \(number), whose answer must not be shared")
        }
        // The answer is received shortly after the call has ended, when its last chunks are on disk.
        let sleeps = history.processes[Int(call.process)].sleeps
        let received =
            sleeps.filter { $0.from >= end.time && $0.from <= end.time + history.hurry }.map(\.to).max() ?? end.time
        if history.hasOneTime, operation.calledAt - received > age + history.hurry {
            found.append("\(finder) was answered by call \(number), whose answer is too old")
        }
        for other in history.operations where isForgotten(call, by: other, before: operation, history) {
            found.append("\(finder) was answered by call \(number), whose answer was no longer in the cache")
        }
    }

    /// Returns whether an operation removed a call's answer from the cache before another operation of the same process
    /// began. For other processes, the removal takes effect later.
    private static func isForgotten(
        _ call: CallStory, by other: OperationStory, before operation: OperationStory, _ history: SimulationHistory
    ) -> Bool {
        guard case .invalidate = other.operation, case .count? = other.result, let returned = other.returned,
            other.process == operation.process, returned < operation.called, let end = call.end
        else { return false }
        // A late recording enters the cache late.
        return history.isUndisturbed(call) && end.time + 2_000_000_000 < other.calledAt
    }

    /// Returns whether a call returned its answer between two positions in the trace.
    private static func isAnswer(_ call: CallStory, after start: Int, before end: Int) -> Bool {
        guard let position = call.end?.position, case .answered? = call.end?.how else { return false }
        return position > start && position < end
    }

    /// Checks that no call was sent although the cache had its answer.
    private static func checkThrift(_ company: [Int32], _ history: SimulationHistory, _ found: inout [String]) {
        let stories = company.compactMap { history.requests[$0] }
        let isPlain =
            history.hasOneTime
            && stories.allSatisfy { story in
                story.deletes.isEmpty && story.retries.isEmpty && Int(story.number) < history.plan.requests.count
            }
        guard isPlain, !history.operations.contains(where: { $0.operation == .invalidate }) else { return }
        let calls = stories.flatMap(\.calls).sorted { $0.started < $1.started }
        guard Set(calls.map(\.content)).count <= 1 else { return }
        for earlier in calls where history.isUndisturbed(earlier) {
            guard let end = earlier.end, end.how == .answered(isPromisedType: true),
                history.planned(earlier.request)?.caching != .bypass,
                case .completed(earlier.number)? = history.final[earlier.request]?.status
            else { continue }
            for story in stories where history.planned(story.number)?.caching == .use {
                guard let submit = story.submits.min(by: { $0.called < $1.called }),
                    submit.calledAt > end.time + 2_000_000_000,
                    // A newer answer has replaced it, and may have been evicted since.
                    !calls.contains(where: { isAnswer($0, after: end.position, before: submit.called) }),
                    let later = story.calls.first(where: { $0.started > submit.called })
                else { continue }
                found.append(
                    "call \(later.number) was paid for, although call \(earlier.number) had already answered the same prompt"
                )
            }
        }
    }
}

extension CachePolicy {
    /// The maximum age of a cached answer in nanoseconds, or `nil` if no cached answer is accepted.
    fileprivate var age: Int64? {
        switch kind {
        case .use(within: nil): 3600 * 1_000_000_000
        case .use(within: let seconds?): Int64(seconds * 1e9)
        case .refresh, .bypass: nil
        }
    }
}
