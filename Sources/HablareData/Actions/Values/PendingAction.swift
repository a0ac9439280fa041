public import Foundation

/// An action that waits to be carried out or reverted, or that has failed.
public struct PendingAction<Action: QueuedAction>: Sendable, Identifiable {
    /// The state of a pending action.
    public enum Phase: Sendable, Hashable {
        /// The action waits for its commit.
        case waiting
        /// The action's commit is in flight.
        case underWay
        /// An attempt failed, and a retry will follow.
        case retrying
        /// The action failed, and no retry follows automatically. See ``DurableActionQueue/retryFailed()``.
        case failed
    }

    /// The action's id.
    public let id: ActionID
    /// The appended action.
    public let action: Action
    /// The time of the append.
    public let appendedAt: Date
    /// Whether the action waits to be reverted. If `false`, it waits to be carried out.
    public let isUndone: Bool
    /// The action's state.
    public let phase: Phase
    /// The number of attempts to carry the action out, or to revert it.
    public let attempts: Int
    /// The last attempt's failure, as the committer described it; `nil` if no attempt failed.
    public let failure: String?

    /// Creates a pending action, for previews and tests of a review view.
    public init(
        id: ActionID, action: Action, appendedAt: Date, isUndone: Bool = false, phase: Phase = .waiting,
        attempts: Int = 0, failure: String? = nil
    ) {
        self.id = id
        self.action = action
        self.appendedAt = appendedAt
        self.isUndone = isUndone
        self.phase = phase
        self.attempts = attempts
        self.failure = failure
    }
}
