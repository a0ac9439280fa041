public import Hablare

/// A question that a ``ToolLoop`` asks your app before a tool runs.
public struct ToolQuestion: Sendable, Hashable {
    /// The reason for the question.
    public enum Reason: Sendable, Hashable {
        /// The call has not run yet.
        case beforeCall
        /// The call was interrupted. It is unknown how much of its work was done. If you approve the call, it runs a
        /// second time. If you refuse it, the model receives the error that the outcome is unknown.
        case outcomeUnknown
    }

    /// The call. The model wrote the arguments. They satisfy the tool's schema, but you should check them.
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
    /// The tool does not run. If you give a reason, the model receives it.
    case refuse(reason: String? = nil)
    /// The tool does not run, and the loop ends with `AIServiceError.Code.requestHeld`. If the loop runs again with the
    /// same job key, it asks the question again.
    case postpone
}
