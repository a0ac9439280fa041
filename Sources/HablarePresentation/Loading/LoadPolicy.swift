/// The action if a load is requested while another load is in progress.
public enum LoadPolicy: Sendable, Hashable, CaseIterable {
    /// The new request is ignored, and the current load continues. Use it for loads that always have the same result,
    /// such as a refresh.
    case ignoreWhileLoading
    /// The current load is cancelled, and a new load begins. A late result of an older load never replaces a newer
    /// result. Use it for loads that depend on the request, such as a search.
    case cancelPrevious
}
