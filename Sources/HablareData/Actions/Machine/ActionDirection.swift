/// The direction in which the committer executes an action.
enum ActionDirection: Int64, Sendable, Hashable {
    /// The committer carries the action out.
    case forward
    /// The committer reverts the action, by carrying out its compensation.
    case backward
}
