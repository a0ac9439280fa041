/// The metrics of merges: what each is called, counts and is labelled with. They go where the engine's go
/// (``/Hablare/EngineSeams/observation``).
///
/// | metric | kind | labels | what it says |
/// |---|---|---|---|
/// | `hablare_merge_queue_depth` | gauge | | merges that were asked for and are not done |
/// | `hablare_merge_bytes` | histogram | | the size of responses that are merged |
/// | `hablare_merge_duration` | timer | `into`: `record`, `model` | how long a merge took, from asking for it to its end |
/// | `hablare_merge_bytes_in_flight` | gauge | | bytes of content that merges hold in memory |
/// | `hablare_merge_main_actor_duration` | timer | | how long one stretch of merging kept the main actor |
/// | `hablare_merges_total` | counter | `outcome`: `merged`, `already_merged`, `failed` | merges that ended |
/// | `hablare_merge_promises` | gauge | | promised merges whose responses are waited for |
public enum DataMetric: String, Sendable, Hashable, CaseIterable {
    /// Merges that were asked for and are not done.
    case queueDepth = "hablare_merge_queue_depth"
    /// The size of responses that are merged, in bytes.
    case bytes = "hablare_merge_bytes"
    /// How long a merge took.
    case duration = "hablare_merge_duration"
    /// Bytes of content that merges hold in memory.
    case bytesInFlight = "hablare_merge_bytes_in_flight"
    /// How long one stretch of merging kept the main actor.
    case mainActorDuration = "hablare_merge_main_actor_duration"
    /// Merges that ended.
    case merges = "hablare_merges_total"
    /// Promised merges whose responses are waited for.
    case promises = "hablare_merge_promises"
}
