/// The direction in which an action is handed over.
enum ActionDirection: Int64, Sendable, Hashable {
    /// The action itself is carried out.
    case forward
    /// The action is reverted by its compensation.
    case backward
}
