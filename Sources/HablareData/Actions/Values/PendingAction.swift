public import Foundation

/// An action that waits to be carried out or taken back, or is in trouble.
public struct PendingAction<Action: QueuedAction>: Sendable, Identifiable {
    /// Where it stands.
    public enum Phase: Sendable, Hashable {
        /// Waits for its commit.
        case waiting
        /// Is being committed.
        case underWay
        /// An attempt failed, and another one follows.
        case retrying
        /// No further attempt follows by itself: see ``DurableActionQueue/retryFailed()``.
        case failed
    }

    /// The action's id.
    public let id: ActionID
    /// The action, as it was appended.
    public let action: Action
    /// When it was appended.
    public let appendedAt: Date
    /// Whether it is to be taken back instead of carried out.
    public let isUndone: Bool
    /// Where it stands.
    public let phase: Phase
    /// How many attempts were made at carrying it out, or at taking it back.
    public let attempts: Int
    /// What the last attempt failed of, in the committer's words; `nil` where none failed.
    public let failure: String?

    /// Makes one, for previews and tests of a view that reviews.
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
