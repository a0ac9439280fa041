/// An event about one or more merges, for example for views and counters.
///
/// Every merge in a ``willMerge(_:)`` appears in exactly one later event. That event says whether the merge is done,
/// was already done before, or failed. Merges of one call that share a transaction also share an event, so that a view
/// updates once.
public enum MergeEvent: Sendable, Hashable {
    /// The merges are about to begin.
    case willMerge([MergeKey])
    /// The responses are now in the app's data.
    case didMerge([MergeKey])
    /// The responses were already in the app's data before. Nothing was changed.
    case wereMerged([MergeKey])
    /// The merge failed. The response is kept.
    case mergeFailed(MergeKey, MergeError)
}
