/// The metrics of an engine, with their names, meanings and labels.
///
/// Timers record durations, and the metrics system decides how to present them. Every other metric has its unit in its
/// name. A label has only a small number of values, which are known in advance. It never contains a UUID, a prompt or a
/// value that a caller chooses. There is one exception: the label `model`. For each provider, it has the names of the
/// first ``maximumModels`` models.
///
/// | metric | kind | labels | meaning |
/// |---|---|---|---|
/// | `hablare_requests_submitted_total` | counter | `provider`, `as`: `new`, `joined`, `answered`, `present` | Acknowledged requests. `new`: the request has its own call. `joined`: it shares another request's call. `answered`: the cache had the answer. `present`: the request was already in the store. |
/// | `hablare_requests_finished_total` | counter | `status`: `completed`, `failed`, `expired`, `cancelled` | requests that this process made final |
/// | `hablare_queue_depth` | gauge | `provider` | Calls that this process has taken from the store, or accepted, and has not sent. Other waiting calls are only in the store. |
/// | `hablare_calls_running` | gauge | `provider` | Calls in flight, plus one for each submission that is being written to the store and will be sent at once. |
/// | `hablare_queue_wait` | timer | `provider`, `attempt`: `first`, `again` | The time that a call waited before it was sent. `first`: since the submission, measured with the wall clock. `again`: since this process took the call from the store. |
/// | `hablare_attempt_duration` | timer | `provider`, `outcome`: see ``AttemptOutcome`` | the time from sending an attempt to its answer |
/// | `hablare_attempt_failures_total` | counter | `provider`, `category`: see ``AIServiceError/Category`` | attempts that failed |
/// | `hablare_retries_total` | counter | `provider`, `category` | failures that are followed by another attempt at the same provider |
/// | `hablare_fallbacks_total` | counter | `provider`, `category` | failures that are followed by a call of another provider |
/// | `hablare_breaker_openings_total` | counter | `account` | the number of times that the circuit breaker of a failing provider opened |
/// | `hablare_response_bytes` | histogram | `provider` | the size of answers |
/// | `hablare_tokens_total` | counter | `provider`, `model`, `direction`: `input`, `output` | tokens, as providers report them |
/// | `hablare_cost_microdollars_total` | counter | `provider`, `model` | the known cost of calls, in millionths of a US dollar |
/// | `hablare_cost_unknown_total` | counter | `provider`, `model` | calls that may have been billed and whose cost is unknown |
/// | `hablare_cache_lookups_total` | counter | `provider`, `result`: `hit`, `miss` | lookups in the response cache |
/// | `hablare_commit_duration` | timer | `kind`: `write`, `claim` | the time that the store took for a commit |
/// | `hablare_commit_writes` | histogram | | the number of writes in one commit |
/// | `hablare_commit_failures_total` | counter | `kind` | commits that failed |
/// | `hablare_journal_queue_depth` | gauge | | callers that were waiting when the engine last began to commit |
/// | `hablare_flights_recovered_total` | counter | | calls that were taken over from dead processes |
/// | `hablare_responses_pruned_total` | counter | | responses that were evicted because they exceeded the limits |
/// | `hablare_responses_pruned_bytes_total` | counter | | the bytes of these responses |
public enum EngineMetric: String, Sendable, Hashable, CaseIterable {
    /// The number of requests that were acknowledged.
    case requestsSubmitted = "hablare_requests_submitted_total"
    /// The number of requests that this process made final.
    case requestsFinished = "hablare_requests_finished_total"
    /// The number of calls that this process has taken from the store or accepted, and has not sent yet.
    case queueDepth = "hablare_queue_depth"
    /// The number of calls in flight, plus one for each submission that is being written to the store and will be sent
    /// at once.
    case callsRunning = "hablare_calls_running"
    /// The time that a call waited before it was sent.
    case queueWait = "hablare_queue_wait"
    /// The time from sending an attempt to its answer.
    case attemptDuration = "hablare_attempt_duration"
    /// The number of attempts that failed.
    case attemptFailures = "hablare_attempt_failures_total"
    /// The number of failures that are followed by another attempt at the same provider.
    case retries = "hablare_retries_total"
    /// The number of failures that are followed by a call of another provider.
    case fallbacks = "hablare_fallbacks_total"
    /// The number of times that the circuit breaker of a failing provider opened.
    case breakerOpenings = "hablare_breaker_openings_total"
    /// The size of answers, in bytes.
    case responseBytes = "hablare_response_bytes"
    /// The number of tokens, as providers report them.
    case tokens = "hablare_tokens_total"
    /// The known cost of calls, in millionths of a US dollar.
    case cost = "hablare_cost_microdollars_total"
    /// The number of calls that may have been billed and whose cost is unknown.
    case unknownCosts = "hablare_cost_unknown_total"
    /// The number of lookups in the response cache.
    case cacheLookups = "hablare_cache_lookups_total"
    /// The time that the store took for a commit.
    case commitDuration = "hablare_commit_duration"
    /// The number of writes in one commit.
    case commitWrites = "hablare_commit_writes"
    /// The number of commits that failed.
    case commitFailures = "hablare_commit_failures_total"
    /// The number of callers that were waiting when the engine last began to commit.
    case journalQueueDepth = "hablare_journal_queue_depth"
    /// The number of calls that were taken over from dead processes.
    case flightsRecovered = "hablare_flights_recovered_total"
    /// The number of responses that were evicted because they exceeded the limits.
    case responsesPruned = "hablare_responses_pruned_total"
    /// The number of bytes of the responses that were evicted because they exceeded the limits.
    case prunedBytes = "hablare_responses_pruned_bytes_total"

    /// The maximum number of models of one provider that metrics show by name: the models that were used first. All
    /// other models have the label `other`. A model also has the label `other` if its name has more than 64 characters,
    /// or characters other than letters, digits and `-_.:/@`.
    public static let maximumModels = 50

    /// The outcome of an attempt: the value of the label `outcome`.
    public enum AttemptOutcome: String, Sendable, Hashable, CaseIterable {
        /// The attempt ended with an answer.
        case completed
        /// The attempt ended with an error, and its requests fail.
        case failed
        /// The attempt ended with an error, and another attempt is planned. Before the store records this outcome, the
        /// store compares the start of the next attempt with the deadlines of the requests. If all deadlines would pass
        /// before the next attempt starts, the engine calls another provider instead, or the requests fail.
        case retried
        /// The attempt ended with an error, and another provider is called.
        case diverted
        /// The attempt ended with an error, and its requests wait for an explicit retry.
        case held
        /// The deadline passed before the attempt ended.
        case expired
        /// The attempt was stopped because its request was cancelled or the process shuts down.
        case stopped
    }
}
