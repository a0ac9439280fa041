/// Who is served first while loads wait for a place.
public enum LoadPriority: Sendable, Hashable, Comparable, CaseIterable {
    /// Somebody looks at the place where it will appear.
    case visible
    /// Somebody may look there soon. Begins only when nothing visible waits.
    case preload
}
