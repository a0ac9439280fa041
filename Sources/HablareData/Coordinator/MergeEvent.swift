/// An event about one or more merges, for example for views and counters.
///
/// Every merge in a ``willMerge(_:)`` appears in exactly one further event: merged, merged before, or failed. The
/// merges of one call share an event if they share a transaction, so that a view updates once.
public enum MergeEvent: Sendable, Hashable {
    /// The merges are about to begin.
    case willMerge([MergeKey])
    /// The responses are in the app's data now.
    case didMerge([MergeKey])
    /// The responses were in the app's data before, and nothing was done.
    case wereMerged([MergeKey])
    /// The merge failed. Its response is kept.
    case mergeFailed(MergeKey, MergeError)
}
