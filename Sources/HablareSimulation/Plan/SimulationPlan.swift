import Hablare

/// The plan of a history (a simulated run of several processes). It is computed from a seed before the history begins.
/// It contains all operations with their times, all faults, and the behaviour of the providers. It is a value, so that
/// parts of a plan can be removed to find a smaller plan that fails in the same way.
///
/// The plan does not determine the order of simultaneous events. While the history runs, random numbers from the seed
/// `interleaving` determine this order.
package struct SimulationPlan: Sendable {
    /// A provider. Every process registers all providers of the plan.
    struct Provider: Sendable, Hashable {
        let concurrency: Int
        let attemptTimeout: Duration?
        /// The account. Providers with the same account share its rate limit.
        var account = 0
        var rate: RateLimit?
    }

    /// A request that may be submitted.
    struct Request: Sendable, Hashable {
        let provider: Int
        /// The content. Requests with the same content ask for the same work.
        let content: Int32
        let priority: Priority
        let attemptTimeout: Duration?
        /// The provider's behaviour in each call, in order. In further calls, the provider answers soon.
        var behaviours: [ProviderBehaviour]
        /// The deadline in nanoseconds of virtual time, which is the time of the simulation. If no clock jumps, every
        /// process has the same date as the virtual time.
        var deadline: Int64?
        var maximumAttempts: Int?
        var unknownOutcome = UnknownOutcomePolicy.runAgain
        var streaming: StreamingPolicy?
        var caching = CachePolicy.bypass
        /// The fallback providers.
        var fallback: [Int] = []
        var keepUntilMerged = false

        /// The providers in the order in which they are called.
        var chain: [Int] { [provider] + fallback }
    }

    /// The settings for content files.
    struct Content: Sendable, Hashable {
        /// The minimum size in bytes of content that is stored in a file.
        let threshold: Int
        /// The age in nanoseconds from which a file without a row may be removed. A process that is still about to
        /// write a row for the file must be faster.
        let age: Int64
    }

    /// The seed from which the plan was drawn.
    package let seed: UInt64
    /// The seed of the order of simultaneous events.
    package var interleaving: UInt64
    var style: SchedulingStyle
    /// The number of slots. In each slot, one process runs at a time.
    var slots: Int
    var configuration: EngineConfiguration
    /// Whether processes can check locks to find out that another process is dead. If not, a process counts as dead
    /// when its leases have expired.
    var knowsLiveness: Bool
    /// The maximum delay, in nanoseconds, until another process learns of a commit.
    var signalDelay: Int64
    /// The percentage of notifications about commits that are lost.
    var lostSignals: Int64
    /// The maximum time that a commit waits for the disk, in nanoseconds.
    var commitDelay: Int64
    var providers: [Provider]
    var requests: [Request]
    /// The events, in the order of their times.
    var events: [PlannedEvent]
    /// The time from which no faults occur and the remaining requests are finished.
    var horizon: Int64
    /// Whether all processes die at the horizon. New processes then finish the requests.
    var endsAfresh: Bool
    /// The settings for content files, or `nil` if all content is in rows.
    var content: Content?
    /// The slot whose processes only execute the first job, or `nil` if there is no such slot.
    var scopedSlot: Int?

    /// Whether a cancelled call of a provider asks the engine whether an attempt still needs the work.
    var asksWhenCancelled = false

    /// The job that the processes in the scoped slot execute.
    static let scopedJob: Int32 = 0

    /// Returns the configuration of the processes in a slot.
    func configuration(ofSlot slot: Int) -> EngineConfiguration {
        guard slot == scopedSlot else { return configuration }
        var configuration = configuration
        configuration.scope = .job(SimulationNames.job(Self.scopedJob))
        return configuration
    }

    /// Returns the account of a provider.
    func account(ofProvider id: ProviderID) -> Int {
        providers.indices.first { SimulationNames.provider($0) == id }.map { providers[$0].account } ?? -1
    }

    /// The number of planned events.
    package var count: Int { events.count }
}

/// A planned event.
struct PlannedEvent: Sendable, Hashable {
    enum What: Sendable, Hashable {
        /// The simulated app performs an operation. If `timeout` is given, the app cancels the operation after this
        /// number of nanoseconds.
        case operation(ClientOperation, timeout: Int64?)
        case fault(Fault)
    }

    /// The number of the event in the complete plan. It does not change when other events are removed.
    let number: Int32
    /// The time in nanoseconds.
    let time: Int64
    /// The slot. The event happens to the process that is in the slot at that time.
    let slot: Int
    let what: What
}
