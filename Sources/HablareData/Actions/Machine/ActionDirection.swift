/// Which way an action is handed over.
enum ActionDirection: Int64, Sendable, Hashable {
    /// To be carried out.
    case forward
    /// To be taken back by its compensation.
    case backward
}
