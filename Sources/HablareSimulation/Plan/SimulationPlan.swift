import Hablare

/// The plan of a history, drawn from its seed before the history begins. It contains the operations, their times, the
/// faults and the behaviour of providers. It is a value, so that a failing history can be shrunk by leaving parts out.
///
/// The plan does not contain the order of simultaneous events. That is drawn while the history runs, from
/// `interleaving`.
package struct SimulationPlan: Sendable {
    /// A provider that every process registers.
    struct Provider: Sendable, Hashable {
        let concurrency: Int
        let attemptTimeout: Duration?
        /// The account. Providers of one account share its limit.
        var account = 0
        var rate: RateLimit?
    }

    /// A request that may be submitted.
    struct Request: Sendable, Hashable {
        let provider: Int
        /// The content. Two requests with the same content ask for the same work.
        let content: Int32
        let priority: Priority
        let attemptTimeout: Duration?
        /// The provider's behaviour, call by call. Afterwards it answers soon.
        var behaviours: [ProviderBehaviour]
        /// The deadline in nanoseconds of virtual time. That is also the date of every process without clock jumps.
        var deadline: Int64?
        var maximumAttempts: Int?
        var unknownOutcome = UnknownOutcomePolicy.runAgain
        var streaming: StreamingPolicy?
        var caching = CachePolicy.bypass
        /// The fallback providers.
        var fallback: [Int] = []
        var keepUntilMerged = false

        /// The providers to ask, one after another.
        var chain: [Int] { [provider] + fallback }
    }

    /// The settings for content files.
    struct Content: Sendable, Hashable {
        /// The size in bytes from which content goes into a file.
        let threshold: Int
        /// The age of a file, in nanoseconds, from which no process can still be about to write a row that refers to
        /// it.
        let age: Int64
    }

    /// The seed from which the plan was drawn.
    package let seed: UInt64
    /// The seed of the interleaving.
    package var interleaving: UInt64
    var style: SchedulingStyle
    /// The number of concurrent processes.
    var slots: Int
    var configuration: EngineConfiguration
    /// Whether processes can detect dead ones. Otherwise leases decide by their expiry.
    var knowsLiveness: Bool
    /// The maximum delay of the news of a commit to another process, in nanoseconds.
    var signalDelay: Int64
    /// The percentage of lost signals.
    var lostSignals: Int64
    /// The maximum time that a commit waits for the disk, in nanoseconds.
    var commitDelay: Int64
    var providers: [Provider]
    var requests: [Request]
    /// The events, in the order of their times.
    var events: [PlannedEvent]
    /// The time at which faults end and the history settles.
    var horizon: Int64
    /// Whether all processes die at the horizon, so that fresh ones finish the work.
    var endsAfresh: Bool
    /// The settings for content files, or `nil` when all content is inline.
    var content: Content?
    /// The slot whose processes are scoped to the first job, or `nil` when no process is scoped.
    var scopedSlot: Int?

    /// Whether a cancelled provider call asks if its work is still wanted.
    var asksWhenCancelled = false

    /// The job of a scoped process.
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
        /// Client code performs an operation, and cancels it after `timeout` nanoseconds, if given.
        case operation(ClientOperation, timeout: Int64?)
        case fault(Fault)
    }

    /// The position in the whole plan. It stays the same when other events are left out.
    let number: Int32
    /// The time in nanoseconds.
    let time: Int64
    /// The slot. The event happens to the process in it at that time.
    let slot: Int
    let what: What
}
