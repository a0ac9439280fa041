/// The counts of a ``CoalescingLoader`` since its creation.
public struct LoaderStatistics: Sendable, Hashable {
    /// The number of requests for a value that were answered from memory.
    public var hits = 0
    /// The number of loads that were answered by the ``BlobCache``.
    public var diskHits = 0
    /// The number of calls of the source, including calls after which no caller waited for the value.
    public var loads = 0
    /// The number of ``loads`` that followed a failed attempt of the same load.
    public var retries = 0
    /// The number of requests for a value, and of preloaded keys, that joined an existing load.
    public var shared = 0
    /// The number of loads that failed after their last attempt.
    public var failures = 0
    /// The number of times that the blob cache failed, or that a value could not be encoded or decoded. The loads
    /// continued with a call of the source.
    public var blobFailures = 0
    /// The number of values that are now in memory.
    public var memoryCount = 0
    /// The total ``LoaderPolicy/cost`` of the values that are now in memory, in bytes.
    public var memoryBytes = 0

    /// Creates statistics with all counts at 0.
    public init() {}
}
