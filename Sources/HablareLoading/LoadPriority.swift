/// The order in which loads get a slot.
public enum LoadPriority: Sendable, Hashable, Comparable, CaseIterable {
    /// The user sees the place where the value is needed. The load's task has at least the priority `userInitiated`, if
    /// the system can raise the priority of a task. Linux can do so, and Apple platforms since version 26.
    case visible
    /// The value may be needed soon. The load starts only if no visible load waits.
    case preload
}
