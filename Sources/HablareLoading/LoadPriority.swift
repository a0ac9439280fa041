/// The priority of a load. It determines which load starts next.
public enum LoadPriority: Sendable, Hashable, Comparable, CaseIterable {
    /// The user sees the place where the value is needed. The task of the load has at least the priority
    /// `userInitiated`, if the system can raise the priority of a running task. This is possible on Linux, and on Apple
    /// platforms from version 26.
    case visible
    /// The value may be needed soon. The load starts only if no visible load waits.
    case preload
}
