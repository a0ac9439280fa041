/// The metrics of merges, with their labels. They are recorded in the same way as the engine's metrics
/// (``/Hablare/EngineSeams/observation``).
///
/// | metric | kind | labels | meaning |
/// |---|---|---|---|
/// | `hablare_merge_queue_depth` | gauge | | merges that were requested and are not done |
/// | `hablare_merge_bytes` | histogram | | the size of merged responses |
/// | `hablare_merge_duration` | timer | `into`: `record`, `model` | the duration of a merge, from the call to its end |
/// | `hablare_merge_bytes_in_flight` | gauge | | bytes of content that merges hold in memory |
/// | `hablare_merge_main_actor_duration` | timer | | the duration of one uninterrupted merge step on the main actor |
/// | `hablare_merges_total` | counter | `outcome`: `merged`, `already_merged`, `failed` | merges that ended |
/// | `hablare_merge_promises` | gauge | | promised merges that wait for their responses |
public enum DataMetric: String, Sendable, Hashable, CaseIterable {
    /// The number of merges that were requested and are not done.
    case queueDepth = "hablare_merge_queue_depth"
    /// The size of merged responses, in bytes.
    case bytes = "hablare_merge_bytes"
    /// The duration of a merge.
    case duration = "hablare_merge_duration"
    /// The number of bytes of content that merges hold in memory.
    case bytesInFlight = "hablare_merge_bytes_in_flight"
    /// The duration of one uninterrupted period of merging on the main actor.
    case mainActorDuration = "hablare_merge_main_actor_duration"
    /// The number of merges that ended.
    case merges = "hablare_merges_total"
    /// The number of promised merges that wait for their responses.
    case promises = "hablare_merge_promises"
}
