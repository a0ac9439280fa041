/// What becomes of a wish to load while a load is under way.
public enum LoadPolicy: Sendable, Hashable, CaseIterable {
    /// The wish is ignored: the load that is under way goes on. For what brings the same whenever it is asked, as a refresh.
    case ignoreWhileLoading
    /// The load that is under way is cancelled, and a new one begins: an older result, however late it comes, never takes the
    /// place of a newer one. For what depends on the wish, as a search.
    case cancelPrevious
}
