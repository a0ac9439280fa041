import Hablare

/// G2: the answer of a completed request is an answer that the provider gave for this request. It is recorded once. A
/// recorded failure has really happened.
enum AnswersAreTrue: SimulationRule {
    static let name = "G2 answers are true"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        for story in history.stories {
            for (_, outcome) in story.outcomes { check(outcome, of: story.number, in: history, &found) }
        }
        for record in history.final.values.sorted(by: { $0.request < $1.request }) {
            check(record.status, of: record.request, in: history, &found)
            let completed = record.attempts.count { $0.outcome == .completed }
            switch record.status {
            case .expired, .lost: break  // it was completed, and its answer was evicted or its file is gone
            case .completed(let call):
                if record.answer != call {
                    found.append(
                        "request \(record.request): the text comes from call \(record.answer), not from call \(call)")
                }
                if completed != (record.isFromCache ? 0 : 1) {
                    found.append("request \(record.request) has \(completed) completed attempts")
                }
            default:
                // A request that left its flight still sees the attempts that the others paid for.
                if completed != 0, history.company(of: record.request).count == 1 {
                    found.append("request \(record.request) is \(record.status) with a completed attempt")
                }
            }
        }
        return found
    }

    /// Returns whether a call was in progress for as long as its timeout allows.
    private static func tookItsTime(_ call: CallStory, in history: SimulationHistory) -> Bool {
        let plan = history.plan
        let others = plan.providers[Int(call.provider)].attemptTimeout ?? plan.configuration.attemptTimeout
        // Requests for the same work have the timeout of the first of them, which may have left since.
        let company = history.company(of: call.request)
        let limit =
            company.map { request in
                plan.requests.indices.contains(Int(request))
                    ? plan.requests[Int(request)].attemptTimeout ?? others : others
            }.min() ?? others
        // A regenerated request has the timeout of another one, which the trace does not name.
        let isRegenerated = company.contains { Int($0) >= plan.requests.count }
        let end = min(call.cancelled?.time ?? .max, call.end?.time ?? .max, history.events.last?.time ?? .max)
        // The engine counts from slightly earlier: from the journalling of the attempt.
        return isRegenerated || end - call.startedAt + 1_000_000_000 >= limit.nanoseconds
    }

    private static func check(
        _ outcome: Observed, of request: Int32, in history: SimulationHistory, _ found: inout [String]
    ) {
        switch outcome {
        case .completed(let number):
            guard history.calls.indices.contains(Int(number)) else {
                found.append("request \(request) is completed by call \(number), which does not exist")
                return
            }
            let call = history.answer(of: number)
            if !history.company(of: request).contains(call.request) || call.end?.how != .answered(isPromisedType: true)
            {
                found.append("request \(request) is completed by call \(number), which did not answer it")
            }
        case .failed(let code, let number) where number >= 0:
            guard history.calls.indices.contains(Int(number)) else {
                found.append("request \(request) failed by call \(number), which does not exist")
                return
            }
            let call = history.calls[Int(number)]
            guard history.company(of: request).contains(call.request), case .failed(let row)? = call.end?.how,
                AIServiceErrorCode(ProviderFailure.rows[Int(row)].code).rawValue == code
            else {
                found.append("request \(request) failed by call \(number), which did not fail in this way")
                return
            }
        case .failed(let code, _):
            let mine = history.company(of: request).flatMap { history.requests[$0]?.calls ?? [] }
            let error = AIServiceErrorCode(rawValue: code)
            // A process that slept between journalling and sending may find that the time is over.
            let mayHaveSlept = history.processes.contains { !$0.sleeps.isEmpty }
            if error == .timeout, !mayHaveSlept, !mine.contains(where: { tookItsTime($0, in: history) }) {
                found.append("request \(request) timed out, but none of its calls took so long")
            }
            // Or a call was handed work and did not resume it.
            if error == .invalidResponse,
                !mine.contains(where: { $0.end?.how == .answered(isPromisedType: false) || $0.hasIgnored })
            {
                found.append("request \(request) failed with an invalid response, but no provider returned one")
            }
            // Failures of providers carry their call. The failure that a stopped call reports is ignored.
            if error.category == .provider || error.category == .network {
                found.append("request \(request) failed with \(error.text), which no provider returned")
            }
            if error == .cancelled { found.append("request \(request) failed because of its cancellation") }
        default: return
        }
    }
}
