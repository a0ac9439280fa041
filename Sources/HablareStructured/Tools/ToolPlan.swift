import Foundation
import Hablare
import HablareJSON

/// The plan for a model's tool calls: which calls run, and which calls are answered with an error. This type is pure.
/// It runs no tool.
struct ToolPlan: Sendable {
    /// The way in which a call is answered.
    enum Step: Sendable {
        /// No tool runs. The model receives this error.
        case answer(ToolResult)
        /// The tool runs. If it needs approval, it runs after the approval.
        case run(Tool)
    }

    /// The calls of the turn in the model's order, each with its step.
    let steps: [(call: ToolCall, step: Step)]

    init(_ calls: [ToolCall], tools: ToolProvider, limits: ToolLimits) {
        steps = calls.enumerated().map { number, call in
            guard number < limits.callsPerTurn else {
                return (
                    call,
                    .answer(
                        .failure(
                            .tooManyCalls,
                            "At most \(limits.callsPerTurn) calls run in one turn. Ask for this one again."))
                )
            }
            guard let tool = tools[call.name] else {
                let names = tools.tools.map(\.definition.name).joined(separator: ", ")
                let message = "There is no tool of that name. The tools are: \(names)."
                return (call, .answer(.failure(.unknownTool, message)))
            }
            if let violations = tool.violations(in: call.arguments) {
                let message = "The arguments do not satisfy the schema:\n\(violations)"
                return (call, .answer(.failure(.invalidArguments, message)))
            }
            return (call, .run(tool))
        }
    }
}

extension ToolResult {
    /// Returns the result of a call whose request failed. Returns `nil` if the failure ends the loop.
    static func outcome(of failure: AIServiceError, limit: Duration) -> ToolResult? {
        switch (failure.code, failure.category) {
        case (.timeout, _): .timedOut(after: limit)
        case (.deadlineExceeded, _), (.budgetExceeded, _), (_, .storage), (_, .configuration): nil
        default: .failure(.failed, "The tool failed.")
        }
    }

    /// Returns the result of a call whose request was cancelled. The result depends on the last attempt.
    static func outcome(ofCancelled attempt: AttemptRecord?, limit: Duration) -> ToolResult {
        if attempt?.error?.code == .timeout { return .timedOut(after: limit) }
        return switch attempt?.outcome {
        case .lost, .interrupted: .interrupted
        default: .failure(.cancelled, "The call was cancelled.")
        }
    }

    static func timedOut(after limit: Duration) -> ToolResult {
        let limit = limit.formatted(.units(allowed: [.hours, .minutes, .seconds, .milliseconds]))
        return .failure(.timeout, "The tool took longer than \(limit) and was stopped. It is unknown how far it came.")
    }

    static let interrupted = ToolResult.failure(
        .interrupted, "The call was interrupted and not run again. It is unknown how far it came.")

    static func refused(_ reason: String?) -> ToolResult {
        .failure(.refused, reason ?? "The call was not approved.")
    }
}
