import Hablare

/// The plan of a history. It is drawn from a seed before the history begins. It contains the operations, their times,
/// the faults, and the behaviour of providers. It is a value, so that a failing history can be made smaller by removing
/// parts of its plan.
///
/// The plan does not contain the order of simultaneous events. This order is drawn while the history runs, from
/// `interleaving`.
package struct SimulationPlan: Sendable {
    /// A provider. Every process registers all providers of the plan.
    struct Provider: Sendable, Hashable {
        let concurrency: Int
        let attemptTimeout: Duration?
        /// The account. Providers that have the same account share its limit.
        var account = 0
        var rate: RateLimit?
    }

    /// A request that may be submitted.
    struct Request: Sendable, Hashable {
        let provider: Int
        /// The content. Two requests with the same content request the same work.
        let content: Int32
        let priority: Priority
        let attemptTimeout: Duration?
        /// The provider's behaviour in each call. In later calls, the provider answers soon.
        var behaviours: [ProviderBehaviour]
        /// The deadline in nanoseconds of virtual time. Without clock jumps, this is also the date of every process.
        var deadline: Int64?
        var maximumAttempts: Int?
        var unknownOutcome = UnknownOutcomePolicy.runAgain
        var streaming: StreamingPolicy?
        var caching = CachePolicy.bypass
        /// The fallback providers.
        var fallback: [Int] = []
        var keepUntilMerged = false

        /// The providers to call, one after another.
        var chain: [Int] { [provider] + fallback }
    }

    /// The settings for content files.
    struct Content: Sendable, Hashable {
        /// The minimum size in bytes of content that is stored in a file.
        let threshold: Int
        /// The minimum age of a file, in nanoseconds, at which it may be collected. No process can then still be about
        /// to write a row that refers to the file.
        let age: Int64
    }

    /// The seed from which the plan was drawn.
    package let seed: UInt64
    /// The seed of the interleaving.
    package var interleaving: UInt64
    var style: SchedulingStyle
    /// The number of processes that run at the same time. Each of them occupies a slot.
    var slots: Int
    var configuration: EngineConfiguration
    /// Whether processes can detect dead processes. If not, a process counts as dead when its lease expires.
    var knowsLiveness: Bool
    /// The maximum delay, in nanoseconds, until another process learns of a commit.
    var signalDelay: Int64
    /// The percentage of lost notifications about commits.
    var lostSignals: Int64
    /// The maximum time that a commit waits for the disk, in nanoseconds.
    var commitDelay: Int64
    var providers: [Provider]
    var requests: [Request]
    /// The events, in the order of their times.
    var events: [PlannedEvent]
    /// The time at which faults end and the remaining work is finished.
    var horizon: Int64
    /// Whether all processes die at the horizon, so that new processes finish the work.
    var endsAfresh: Bool
    /// The settings for content files; `nil` if all content is inline.
    var content: Content?
    /// The slot whose processes only run the first job; `nil` if there is no such slot.
    var scopedSlot: Int?

    /// Whether a cancelled provider call asks whether its work is still wanted.
    var asksWhenCancelled = false

    /// The job that the processes in the scoped slot run.
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
        /// Client code performs an operation. If `timeout` is given, the client cancels the operation after this number
        /// of nanoseconds.
        case operation(ClientOperation, timeout: Int64?)
        case fault(Fault)
    }

    /// The event's number in the complete plan. It does not change when other events are removed.
    let number: Int32
    /// The time in nanoseconds.
    let time: Int64
    /// The slot. The event concerns the process that is in the slot at that time.
    let slot: Int
    let what: What
}
