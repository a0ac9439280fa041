/// An event about one or more merges, for example for views and counters.
///
/// Every merge in a ``willMerge(_:)`` appears in exactly one later event. That event reports the merge as done, as
/// already done, or as failed. Merges of one call that share a transaction also share an event, so that a view updates
/// once.
public enum MergeEvent: Sendable, Hashable {
    /// The merges are about to begin.
    case willMerge([MergeKey])
    /// The responses are now in the app's data.
    case didMerge([MergeKey])
    /// The responses were already in the app's data. Nothing was changed.
    case wereMerged([MergeKey])
    /// The merge failed. The response is kept.
    case mergeFailed(MergeKey, MergeError)
}
