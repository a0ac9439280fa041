import Hablare

/// What is to happen in a history, drawn from its seed before it begins: who does what when, what goes wrong, how
/// providers behave. A value, so that a failing history can be made smaller by leaving things out of it.
///
/// In which order things that happen at once come is not in the plan: that is drawn as it runs, from `interleaving`.
package struct SimulationPlan: Sendable {
    /// A provider that every process registers.
    struct Provider: Sendable, Hashable {
        let concurrency: Int
        let attemptTimeout: Duration?
        /// Providers of one account share its limit.
        var account = 0
        var rate: RateLimit?
    }

    /// A request that may be submitted.
    struct Request: Sendable, Hashable {
        let provider: Int
        /// Two requests of one content are the same work.
        let content: Int32
        let priority: Priority
        let attemptTimeout: Duration?
        /// How the provider behaves, call by call; afterwards it answers soon.
        var behaviours: [ProviderBehaviour]
        /// When its answer is of no use any more, in nanoseconds of virtual time, which is every process's date unless
        /// it jumps.
        var deadline: Int64?
        var maximumAttempts: Int?
        var unknownOutcome = UnknownOutcomePolicy.runAgain
        var streaming: StreamingPolicy?
        var caching = CachePolicy.bypass
        /// Whom it falls back on.
        var fallback: [Int] = []
        var keepUntilMerged = false

        /// Whom it asks, one after another.
        var chain: [Int] { [provider] + fallback }
    }

    /// How large content is kept in files.
    struct Content: Sendable, Hashable {
        /// From so many bytes on it is.
        let threshold: Int
        /// How old a file is, in nanoseconds, when nobody can be about to write a row that refers to it.
        let age: Int64
    }

    /// The seed it was drawn from.
    package let seed: UInt64
    /// The seed of the interleaving.
    package var interleaving: UInt64
    var style: SchedulingStyle
    /// How many processes work at once.
    var slots: Int
    var configuration: EngineConfiguration
    /// Whether processes can tell living ones from dead ones, or leases decide by expiry.
    var knowsLiveness: Bool
    /// How long the news of a commit takes to another process, at most, in nanoseconds.
    var signalDelay: Int64
    /// How many of a hundred signals are lost.
    var lostSignals: Int64
    /// How long a commit waits for the disk, at most, in nanoseconds.
    var commitDelay: Int64
    var providers: [Provider]
    var requests: [Request]
    /// In the order of their times.
    var events: [PlannedEvent]
    /// When faults end and the history is left to come to rest.
    var horizon: Int64
    /// Whether all processes die then, so that fresh ones finish the work.
    var endsAfresh: Bool
    /// `nil` where all content is inline.
    var content: Content?
    /// The place whose processes are there for one job, the first; `nil` where all are there for everything.
    var scopedSlot: Int?

    /// Whether providers that are told to stop ask if somebody goes on with their work.
    var asksWhenCancelled = false

    /// The job that a process is there for.
    static let scopedJob: Int32 = 0

    /// The configuration of the processes in a place.
    func configuration(ofSlot slot: Int) -> EngineConfiguration {
        guard slot == scopedSlot else { return configuration }
        var configuration = configuration
        configuration.scope = .job(SimulationNames.job(Self.scopedJob))
        return configuration
    }

    /// The account of a provider.
    func account(ofProvider id: ProviderID) -> Int {
        providers.indices.first { SimulationNames.provider($0) == id }.map { providers[$0].account } ?? -1
    }

    /// How many things it wants to happen.
    package var count: Int { events.count }
}

/// Something that a plan wants to happen.
struct PlannedEvent: Sendable, Hashable {
    enum What: Sendable, Hashable {
        /// Client code does something, and gives up after so many nanoseconds, if it does.
        case operation(ClientOperation, patience: Int64?)
        case fault(Fault)
    }

    /// Its place in the whole plan: stays when others are left out.
    let number: Int32
    /// When, in nanoseconds.
    let time: Int64
    /// To which process: the one that has this place at that time.
    let slot: Int
    let what: What
}
