import Foundation
import Hablare
import HablareJSON

/// One run of a loop. It finds the requests that earlier runs stored, and continues with them.
///
/// In the job, each turn is followed by its calls in the model's order, and then by the next turn. If a call was
/// answered without running a tool, its position in the job stays free. The prompt of each turn contains the whole
/// conversation before this turn. To continue, a later run therefore reads only the last turn and its calls.
struct ToolRun {
    /// The metadata keys of the requests.
    static let turnLabel = "turn"
    static let toolLabel = "tool"

    private let loop: ToolLoop
    private let provider: ProviderID
    private let manager: AIRequestManager
    private let jobKey: JobKey
    private let first: AIRequest
    /// The requests that are stored after the last turn, by their positions in the job.
    private var stored: [Int: UUID] = [:]
    private var conversation: Conversation
    private var turn = 1
    private var position = 0
    private var request: UUID

    init(
        of loop: ToolLoop, _ request: AIRequest, _ provider: ProviderID, _ manager: AIRequestManager, _ jobKey: JobKey
    ) async throws {
        self.loop = loop
        self.provider = provider
        self.manager = manager
        self.jobKey = jobKey
        var first = request
        first.parameters.merge(loop.requestor.toolParameters) { $1 }
        first.metadata[Self.turnLabel] = "1"
        if let time = loop.limits.time {
            let end = manager.seams.date().addingTimeInterval(time / .seconds(1))
            first.deadline = first.deadline.map { min($0, end) } ?? end
        }
        let ids = try await manager.submit([first], to: provider, jobKey: jobKey)
        self.request = ids.first ?? first.id
        // The deadline of a loop that is resumed is the one that it began with.
        first.deadline = try await manager.snapshot(for: self.request).deadline
        self.first = first
        conversation = try Conversation(first.prompt, parameters: first.parameters)
        try await resume()
    }

    /// Finds the last stored turn, and the calls that were stored after it.
    private mutating func resume() async throws {
        var filter = SnapshotFilter(job: jobKey, limit: 500)
        while true {
            let page = try await manager.snapshots(filter)
            for snapshot in page {
                guard let place = snapshot.position, place > 0 else { continue }
                guard snapshot.metadata[Self.toolLabel] == nil else {
                    stored[place] = snapshot.id
                    continue
                }
                guard let number = ToolLoop.turn(of: snapshot) else {
                    throw AIServiceError(
                        .conflict,
                        "The job contains the request \(snapshot.id), which does not belong to a tool loop. Use a separate job key for the loop."
                    )
                }
                (turn, position, request) = (number, place, snapshot.id)
                stored = [:]
            }
            guard page.count == filter.limit, let last = page.last else { break }
            filter.continues(after: last)
        }
        guard turn > 1 else { return }
        let id = request
        guard let turn = try await manager.journal.read({ try $0.request(of: id) }) else {
            throw AIServiceError.unknown(id)
        }
        conversation = try Conversation(turn.request.prompt, parameters: turn.request.parameters)
    }

    mutating func output() async throws -> ToolLoop.Output {
        while true {
            await loop.report(.turn(turn, request: request))
            let output = try await loop.requestor.output(of: answer(to: request))
            conversation.append(output)
            guard !output.toolCalls.isEmpty else {
                return ToolLoop.Output(
                    value: output.value, response: output.response, turns: turn, conversation: conversation)
            }
            // Tools whose results no turn would read do not run.
            try loop.limits.checkTurn(turn + 1)
            try await checkCost()
            for (call, result) in try await results(of: output.toolCalls) {
                conversation.append(result.content, of: call)
            }
            try Task.checkCancellation()
            try await checkCost()
            try await nextTurn(after: output.toolCalls.count)
        }
    }

    private mutating func nextTurn(after calls: Int) async throws {
        turn += 1
        position += 1 + calls
        var next = first.named(manager.seams.makeID())
        next.prompt = conversation.prompt
        next.parameters.merge(conversation.parameters) { $1 }
        next.metadata[Self.turnLabel] = String(turn)
        // A choice that requires a call would require one in every turn, without end.
        if !["auto", "none"].contains(next.parameters["tool_choice"]?.string) { next.parameters["tool_choice"] = nil }
        let ids = try await manager.submit([next], to: provider, jobKey: jobKey, startingAt: position)
        request = ids.first ?? next.id
        stored = [:]
    }

    private func checkCost() async throws {
        guard loop.limits.microDollars != nil else { return }
        try loop.limits.checkCost(try await manager.ledger(LedgerQuery(job: jobKey)).total)
    }

    // MARK: Calls

    /// Returns the results of a turn's calls, in order. Approvals are requested one after the other. The approved tools
    /// run concurrently.
    private func results(of calls: [ToolCall]) async throws -> [(ToolCall, ToolResult)] {
        let steps = ToolPlan(calls, tools: loop.tools, limits: loop.limits).steps
        let approvals = ToolApprovals(loop.approve)
        return try await withThrowingTaskGroup(of: (Int, ToolResult).self) { group in
            defer { group.cancelAll() }
            var results: [Int: ToolResult] = [:]
            for (number, (call, step)) in steps.enumerated() {
                let place = position + 1 + number
                switch step {
                case .answer(let result):
                    results[number] = result
                    await loop.report(.result(call, result))
                case .run(let tool):
                    let known = stored[place]
                    if known == nil, tool.policy.needsApproval {
                        switch try await approvals.decision(call, .beforeCall) {
                        case .approve: break
                        case .refuse(let reason):
                            results[number] = .refused(reason)
                            await loop.report(.result(call, .refused(reason)))
                            continue
                        case .postpone: throw Self.postponed(call)
                        }
                    }
                    let id = if let known { known } else { try await submit(call, of: tool, at: place) }
                    await loop.report(.call(call, request: id))
                    group.addTask {
                        let result = try await result(of: call, tool, id, approvals)
                        await loop.report(.result(call, result))
                        return (number, result)
                    }
                }
            }
            while let (number, result) = try await group.next() { results[number] = result }
            return steps.enumerated().compactMap { number, step in results[number].map { (step.call, $0) } }
        }
    }

    private func submit(_ call: ToolCall, of tool: Tool, at place: Int) async throws -> UUID {
        let request = AIRequest(
            id: manager.seams.makeID(), prompt: .text(try call.arguments.jsonText()), model: call.name,
            // The place keeps equal calls apart. Otherwise they would share one run.
            parameters: [
                ToolProvider.callParameter: .string(call.id), "job": .string(jobKey.rawValue),
                "position": .int(Int64(place)),
            ],
            tenant: first.tenant, priority: first.priority, attemptTimeout: tool.policy.timeLimit,
            deadline: first.deadline, maximumAttempts: 1, unknownOutcome: tool.policy.unknownOutcome,
            caching: .bypass, metadata: [Self.turnLabel: String(turn), Self.toolLabel: call.name], tags: first.tags)
        let ids = try await manager.submit([request], to: loop.tools.id, jobKey: jobKey, startingAt: place)
        return ids.first ?? request.id
    }

    private func result(
        of call: ToolCall, _ tool: Tool, _ id: UUID, _ approvals: ToolApprovals
    ) async throws -> ToolResult {
        while true {
            switch try await ending(of: id) {
            case .final(.completed(let response)):
                return try await ToolProvider.result(of: response)
            case .final(.failed(let error)):
                guard let result = ToolResult.outcome(of: error, limit: tool.policy.timeLimit) else { throw error }
                return result
            case .final:
                return .outcome(ofCancelled: try await manager.attempts(for: id).last, limit: tool.policy.timeLimit)
            case .held:
                // The model reads that a call took too long, and decides what follows. Nothing waits for a person then.
                if try await manager.attempts(for: id).last?.error?.code == .timeout {
                    try await manager.cancelRequest(id)
                    continue
                }
                switch try await approvals.decision(call, .outcomeUnknown) {
                case .approve: try await manager.retry(id)
                case .refuse: try await manager.cancelRequest(id)
                case .postpone: throw held(id)
                }
            }
        }
    }

    // MARK: Waiting

    private enum Ending {
        case final(RequestStatus)
        case held
    }

    /// Waits until a request of the job is final or held.
    private func ending(of id: UUID) async throws -> Ending {
        for try await status in try await manager.statusUpdates(for: id) {
            if status.isFinal { return .final(status) }
            if case .pending = status, try await manager.snapshot(for: id).waiting == .held { return .held }
        }
        throw CancellationError()
    }

    /// Waits for the answer to a turn.
    private func answer(to id: UUID) async throws -> AIResponseData {
        guard case .final = try await ending(of: id) else { throw held(id) }
        return try await manager.execute(requestID: id)
    }

    private static func postponed(_ call: ToolCall) -> AIServiceError {
        AIServiceError(
            .requestHeld, "A call of the tool \(call.name) waits for approval. Run the loop again to decide.",
            category: .operation, disposition: .needsUser)
    }

    private func held(_ id: UUID) -> AIServiceError {
        AIServiceError(
            .requestHeld,
            "The request \(id) is held, because it is unknown how much of its work was done. Retry the request to run it again, or cancel it. Then run the loop again.",
            category: .operation, disposition: .needsUser)
    }
}

/// Requests approvals one after the other, because a person answers the questions.
private struct ToolApprovals: Sendable {
    private let approve: (@Sendable (ToolQuestion) async throws -> ToolDecision)?
    private let gate = AdmissionGate(limit: 1)

    init(_ approve: (@Sendable (ToolQuestion) async throws -> ToolDecision)?) { self.approve = approve }

    func decision(_ call: ToolCall, _ reason: ToolQuestion.Reason) async throws -> ToolDecision {
        guard let approve else { return .postpone }
        try await gate.enter()
        defer { gate.leave() }
        return try await approve(ToolQuestion(call: call, reason: reason))
    }
}
