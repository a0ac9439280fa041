public import Hablare

/// A question that a ``ToolLoop`` asks before a tool runs.
public struct ToolQuestion: Sendable, Hashable {
    /// The reason for the question.
    public enum Reason: Sendable, Hashable {
        /// The call has not run yet.
        case beforeCall
        /// The call was interrupted, and it is unknown how much of its work was done. If you approve the call, it runs
        /// a second time. If you refuse it, the model reads that the outcome is unknown.
        case outcomeUnknown
    }

    /// The call. The model wrote the arguments. They satisfy the tool's schema.
    public let call: ToolCall
    /// The reason for the question.
    public let reason: Reason

    /// Creates a question.
    public init(call: ToolCall, reason: Reason) {
        self.call = call
        self.reason = reason
    }
}

/// The answer to a ``ToolQuestion``.
public enum ToolDecision: Sendable, Hashable {
    /// The tool runs.
    case approve
    /// The tool does not run. The model reads the reason, if there is one.
    case refuse(reason: String? = nil)
    /// The tool does not run, and the loop ends with `AIServiceError.Code.requestHeld`. A later run with the same job
    /// key asks the question again.
    case postpone
}
