/// What a ``CoalescingLoader`` has counted since it was made.
public struct LoaderStatistics: Sendable, Hashable {
    /// Asks that were answered from memory.
    public var hits = 0
    /// Loads that were answered by the ``BlobCache``.
    public var diskHits = 0
    /// How often the source was asked, also for what nobody wanted any more when it came.
    public var loads = 0
    /// How many of ``loads`` came after a failed attempt of the same load.
    public var retries = 0
    /// Asks, and keys to be preloaded, that joined a load that was there.
    public var shared = 0
    /// Loads that failed for good.
    public var failures = 0
    /// How often the blob cache failed, or had what could not be decoded. The loads went on without it.
    public var blobFailures = 0
    /// Values that are held in memory now.
    public var memoryCount = 0
    /// How many bytes they take, as ``LoaderPolicy/cost`` says.
    public var memoryBytes = 0

    /// Nothing.
    public init() {}
}
