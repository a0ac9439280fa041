/// The metrics of an engine: what each is called, counts and is labelled with.
///
/// Timers record durations; how they are shown is the metrics system's. All others have their unit in the name. Labels
/// have few values, all known beforehand: no UUID, no prompt, nothing that a caller makes up, but for models, of which
/// each provider shows the first ``maximumModels`` by name.
///
/// | metric | kind | labels | what it says |
/// |---|---|---|---|
/// | `hablare_requests_submitted_total` | counter | `provider`, `as`: `new`, `joined`, `answered`, `present` | requests that were acknowledged: with a call of their own, aboard the call of another one, with an answer from the cache, or known before |
/// | `hablare_requests_finished_total` | counter | `status`: `completed`, `failed`, `expired`, `cancelled` | requests that became final by this process |
/// | `hablare_queue_depth` | gauge | `provider` | calls that this process holds and has not sent; what else waits is in the store |
/// | `hablare_calls_running` | gauge | `provider` | calls under way, or promised to a submission that is being written |
/// | `hablare_queue_wait` | timer | `provider`, `attempt`: `first`, `again` | how long a call waited until it was sent: the first since it was submitted, by dates; another one since this process took it |
/// | `hablare_attempt_duration` | timer | `provider`, `outcome`: see ``AttemptOutcome`` | how long an attempt took, from sending it to its answer |
/// | `hablare_attempt_failures_total` | counter | `provider`, `category`: see ``AIServiceError/Category`` | attempts that failed |
/// | `hablare_retries_total` | counter | `provider`, `category` | failures after which another attempt at the same provider follows |
/// | `hablare_fallbacks_total` | counter | `provider`, `category` | failures after which another provider is asked |
/// | `hablare_breaker_openings_total` | counter | `account` | how often a provider that fails was left alone |
/// | `hablare_response_bytes` | histogram | `provider` | the size of answers |
/// | `hablare_tokens_total` | counter | `provider`, `model`, `direction`: `input`, `output` | tokens, as providers say |
/// | `hablare_cost_microdollars_total` | counter | `provider`, `model` | what calls cost, where it is known, in millionths of a US dollar |
/// | `hablare_cost_unknown_total` | counter | `provider`, `model` | calls that may have been billed, and of which nobody knows the cost |
/// | `hablare_cache_lookups_total` | counter | `provider`, `result`: `hit`, `miss` | questions to the response cache |
/// | `hablare_commit_duration` | timer | `kind`: `write`, `claim` | how long the store took for a commit |
/// | `hablare_commit_writes` | histogram | | how many writes one commit carried |
/// | `hablare_commit_failures_total` | counter | `kind` | commits that the store could not make |
/// | `hablare_journal_queue_depth` | gauge | | callers that were waiting when the last round of commits began |
/// | `hablare_flights_recovered_total` | counter | | calls that were taken over from processes that are gone |
/// | `hablare_responses_pruned_total` | counter | | responses that were given up because they were past the limits |
/// | `hablare_responses_pruned_bytes_total` | counter | | their bytes |
public enum EngineMetric: String, Sendable, Hashable, CaseIterable {
    /// Requests that were acknowledged.
    case requestsSubmitted = "hablare_requests_submitted_total"
    /// Requests that became final by this process.
    case requestsFinished = "hablare_requests_finished_total"
    /// Calls that this process holds and has not sent.
    case queueDepth = "hablare_queue_depth"
    /// Calls under way, or promised to a submission that is being written.
    case callsRunning = "hablare_calls_running"
    /// How long a call waited until it was sent.
    case queueWait = "hablare_queue_wait"
    /// How long an attempt took.
    case attemptDuration = "hablare_attempt_duration"
    /// Attempts that failed.
    case attemptFailures = "hablare_attempt_failures_total"
    /// Failures after which another attempt follows.
    case retries = "hablare_retries_total"
    /// Failures after which another provider is asked.
    case fallbacks = "hablare_fallbacks_total"
    /// How often a provider that fails was left alone.
    case breakerOpenings = "hablare_breaker_openings_total"
    /// The size of answers, in bytes.
    case responseBytes = "hablare_response_bytes"
    /// Tokens, as providers say.
    case tokens = "hablare_tokens_total"
    /// What calls cost, where it is known, in millionths of a US dollar.
    case cost = "hablare_cost_microdollars_total"
    /// Calls that may have been billed, and of which nobody knows the cost.
    case unknownCosts = "hablare_cost_unknown_total"
    /// Questions to the response cache.
    case cacheLookups = "hablare_cache_lookups_total"
    /// How long the store took for a commit.
    case commitDuration = "hablare_commit_duration"
    /// How many writes one commit carried.
    case commitWrites = "hablare_commit_writes"
    /// Commits that the store could not make.
    case commitFailures = "hablare_commit_failures_total"
    /// Callers that were waiting when the last round of commits began.
    case journalQueueDepth = "hablare_journal_queue_depth"
    /// Calls that were taken over from processes that are gone.
    case flightsRecovered = "hablare_flights_recovered_total"
    /// Responses that were given up because they were past the limits.
    case responsesPruned = "hablare_responses_pruned_total"
    /// The bytes of those responses.
    case prunedBytes = "hablare_responses_pruned_bytes_total"

    /// So many models of one provider are shown by name, in the order in which they are first used. All others, and
    /// names of more than 64 characters or with others than letters, digits and `-_.:/@`, are the model `other`.
    public static let maximumModels = 50

    /// How an attempt ended, as the label `outcome` has it.
    public enum AttemptOutcome: String, Sendable, Hashable, CaseIterable {
        /// With the answer.
        case completed
        /// With an error that ends its requests.
        case failed
        /// With an error after which another attempt follows; or, where that would come too late for everybody, another
        /// provider is asked or the requests fail: that is decided when it is recorded.
        case retried
        /// With an error after which another provider is asked.
        case diverted
        /// With an error after which somebody's word is waited for.
        case held
        /// Because time ran out.
        case expired
        /// Because its request was cancelled, or the process shuts down.
        case stopped
    }
}
