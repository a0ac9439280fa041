/// A step of the trash that has just been completed. A crash may come after each of them.
enum TrashStep: Sendable, Hashable {
    /// The journal holds the plan.
    case planned
    /// The description of this entry is written and synced.
    case described(Int)
    /// This entry is renamed.
    case moved(Int)
    /// The folders of the shot are synced.
    case synced
    /// The descriptions that are no longer needed are removed.
    case descriptionsRemoved
    /// The journal holds the outcome.
    case concluded
}
