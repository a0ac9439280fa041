/// What happens to merges, for whoever shows or counts them.
///
/// Every merge that was told of with ``willMerge(_:)`` is told of once more: as merged, merged before, or failed. Merges of
/// one call come in one event as far as they are in one transaction, so that a view is updated once.
public enum MergeEvent: Sendable, Hashable {
    /// These are about to be merged.
    case willMerge([MergeKey])
    /// These are in the app's data now.
    case didMerge([MergeKey])
    /// These were in the app's data before, and nothing was done.
    case wereMerged([MergeKey])
    /// This one failed. Its response is kept.
    case mergeFailed(MergeKey, MergeError)
}
