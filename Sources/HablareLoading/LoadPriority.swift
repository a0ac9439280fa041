/// Who is served first while loads wait for a place.
public enum LoadPriority: Sendable, Hashable, Comparable, CaseIterable {
    /// Somebody looks at the place where it will appear. Its task has at least the priority `userInitiated`, where the
    /// system can hurry a task: on Linux, and on Apple platforms since their version 26.
    case visible
    /// Somebody may look there soon. Begins only when nothing visible waits.
    case preload
}
