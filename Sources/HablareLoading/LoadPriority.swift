/// The order in which loads get a slot.
public enum LoadPriority: Sendable, Hashable, Comparable, CaseIterable {
    /// The value is needed for something the user sees. The load's task has at least the priority `userInitiated` if
    /// the system can escalate a task: on Linux, and on Apple platforms since version 26.
    case visible
    /// The value may be needed soon. The load starts only when no visible load waits.
    case preload
}
