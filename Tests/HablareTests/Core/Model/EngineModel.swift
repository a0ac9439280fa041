import Foundation
import HablareStores
import HablareTestKit

@testable import Hablare

/// A rule that the engine core broke.
struct EngineViolation: Error, CustomStringConvertible {
    let description: String
}

/// An independent model around an ``EngineCore``: a journal, a store with another process, providers, a clock, and the
/// invariants.
///
/// The journal commits in order and reports each commit to the core at once. Everything else happens in any order
/// between the commits, and between the placing of submissions and their commit. The model knows nothing of the lanes'
/// windows and turns, nor of the states of attempts. It knows the leases that the core received, the running calls,
/// when each must be stopped, and the granted permits. Two of the four providers share an account with a limit, and two
/// need no network.
struct EngineModel {
    /// The place of a lease that the core received.
    enum Place: Equatable {
        /// Queued in the core, to be started.
        case queued
        /// An attempt holds a slot for it.
        case underWay
        /// On its way back to the store.
        case releasing
    }

    /// An attempt from the view of its task.
    struct Call {
        enum Step {
            /// Its start is being journalled.
            case journalling
            /// Its provider works.
            case working
            /// Its provider returned, and its output is being journalled.
            case journallingOutput(Reply)
            /// Its provider returned.
            case back
        }

        let flight: QueuedFlight
        /// The flight as the attempt has it, executing.
        var lifecycle: FlightLifecycle
        var step: Step
        /// The first reason for a stop.
        var reason: StopReason?
        /// The attempt's own reason, by its first reply.
        var own: StopReason?
        /// When it must be stopped or abandoned.
        var limit: Duration?
        var isAbandoned = false
        /// Whether the attempt holds a slot.
        var holdsSlot: Bool { if case .back = step { false } else { !isAbandoned } }
        /// Whether a stop has no effect any more.
        var isBeyondStops: Bool {
            switch step {
            case .journalling, .working: isAbandoned
            case .journallingOutput: isAbandoned || reason == nil
            case .back: true
            }
        }
    }

    /// The recording of an attempt's end.
    struct Recording {
        let end: AttemptEnd
        let isStandIn: Bool
        var failures = 0
        /// Whether it waits until the store can be written.
        var waits = false
    }

    let seed: UInt64
    var random: SeededGenerator
    var core: EngineCore
    let store = InMemoryStore()
    let lanes: [LaneDescription]
    var now = Moment(date: StoreWorkbench.date(0), clock: .zero) {
        didSet { core.now = now }
    }
    var log: [String] = []
    /// When the timer of the shell fires.
    var alarm: Duration?

    // The state that the core received.
    var owner: OwnerID
    var isOpen = false
    var isParked = false
    var suspensions: Set<SuspensionReason> = []
    var graceEnds: [SuspensionReason: Duration] = [:]
    /// The accounts that refused a call and are not called any more.
    var suspendedAccounts: Set<AccountID> = []
    var leases: [AttemptKey: Place] = [:]
    /// The provider of each lease.
    var providers: [AttemptKey: ProviderID] = [:]
    /// Queued leases that are over by news of a newer one.
    var doubtful: Set<AttemptKey> = []
    /// Leases of submissions that the current commit releases, whatever else it contains about them.
    var givenBack: Set<AttemptKey> = []
    /// The attempts that run by the current commit because they were journalled in it.
    var runs: Set<AttemptKey> = []
    var calls: [AttemptKey: Call] = [:]
    var recordings: [AttemptKey: Recording] = [:]
    /// Leases that could not be released.
    var unreturned: Set<AttemptKey> = []
    var health: [ProviderID: ProviderHealth] = [:]
    var isSweeping = false
    var isListening = false

    // The permits of the shared account.
    var permits = 0
    /// The date until which no permits are needed, and the date until which the store may not know better.
    var freeUntil = Date.distantPast
    var countsUntil = Date.distantPast
    var pausedUntil = Date.distantPast

    // The journal and the tasks.
    var journal: [Entry] = []
    /// A group with placed submissions that is not written yet.
    var group: Group?
    var tasks: [TaskStep] = []

    // The waiting callers.
    var waiters: [ObjectIdentifier: UUID] = [:]
    var waiting: [(id: UUID, waiter: Waiter<RequestStatus>)] = []

    // The other process.
    var other: OwnerID
    var otherLeases: [ClaimedFlight] = []
    var foreignRows: [ChangedRow] = []
    var mayWait = false
    var isNoticing = false

    var submitted = 0
    var requests: [UUID] = []
    /// The number of recorded attempts of this process.
    var finished = 0
    /// The number of stopped, abandoned, refused, deferred … attempts in this history.
    var counts: [String: Int] = [:]

    static let timeout = Duration.seconds(4)
    static let grace = Duration.seconds(1)

    init(seed: UInt64) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        let limit = RateLimit(requestsPerMinute: 600)
        var lanes = [
            LaneDescription(provider: "a", concurrency: Int.random(in: 1...2, using: &random)),
            LaneDescription(
                provider: "b", concurrency: Int.random(in: 1...6, using: &random), needsNetwork: false),
            LaneDescription(
                provider: "c", concurrency: Int.random(in: 1...6, using: &random), account: "shared", rate: limit),
            LaneDescription(
                provider: "d", concurrency: Int.random(in: 1...6, using: &random), account: "shared", rate: limit,
                needsNetwork: false),
        ]
        for index in lanes.indices {
            lanes[index].breaker = ProviderHealth.policy
            lanes[index].attemptTimeout = Self.timeout
        }
        self.lanes = lanes
        core = EngineCore(
            lanes: lanes,
            configuration: EngineCore.Configuration(
                cancellationGrace: Self.grace, isShared: true, suspendsRefusingAccounts: true))
        core.isFollowed = true
        _ = core.engineStarted()
        for lane in lanes { health[lane.provider] = ProviderHealth() }
        owner = Self.register(in: store, 1)
        other = Self.register(in: store, 2)
    }

    static func register(in store: InMemoryStore, _ number: Int32) -> OwnerID {
        let commit = store.commit([.registerOwner(StoreWorkbench.registration(number))])
        guard case .owner(let owner)? = commit.receipts.first else { return OwnerID(rawValue: 0) }
        return owner
    }

    // MARK: Facts

    func isLimited(_ provider: ProviderID) -> Bool { provider == "c" || provider == "d" }

    func needsNetwork(_ provider: ProviderID) -> Bool { provider == "a" || provider == "c" }

    func isDraining(_ provider: ProviderID) -> Bool {
        suspensions.contains(.background) || isOffline(provider) || suspendedAccounts.contains(account(of: provider))
    }

    func account(of provider: ProviderID) -> AccountID {
        lanes.first { $0.provider == provider }?.account ?? AccountID(rawValue: provider.rawValue)
    }

    func isOffline(_ provider: ProviderID) -> Bool { needsNetwork(provider) && suspensions.contains(.offline) }

    func givesBack(_ provider: ProviderID) -> Bool { !isOpen || isDraining(provider) }

    func concurrency(of provider: ProviderID) -> Int { lanes.first { $0.provider == provider }?.concurrency ?? 0 }

    /// Returns the phase of a request, or `nil` if it was deleted.
    func phase(of id: UUID) -> RequestPhase? {
        store.snapshots(SnapshotFilter(ids: [id], limit: 1)).first?.phase
    }

    func lifecycle(of flight: FlightID) -> FlightLifecycle? { store.flights([flight])[flight] }

    /// Whether this process has lost a lease, by the flight's present state.
    func isOver(_ key: AttemptKey, _ lifecycle: FlightLifecycle, of owner: OwnerID?) -> Bool {
        lifecycle.token != key.token || lifecycle.owner == nil || lifecycle.owner != owner
    }

    // MARK: Chance

    mutating func chance(_ one: Int, in many: Int) -> Bool { Int.random(in: 0..<many, using: &random) < one }

    mutating func any<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }

    mutating func anyProvider() -> ProviderID { any(lanes.map(\.provider)) ?? "a" }

    // MARK: Steps

    /// Takes one random step.
    mutating func step() throws {
        switch Int.random(in: 0..<200, using: &random) {
        case 0..<18: try submit()
        case 18..<86: try runJournal()
        case 86..<122: try runTask()
        case 122..<154: try providerActs()
        case 154..<162: try otherActs()
        case 162..<167: changeSomething()
        case 167..<172: try watch()
        case 172..<183: try passTime(Double.random(in: 0...1.5, using: &random))
        case 183..<185: try suspend()
        case 185..<188: try resume(any(SuspensionReason.allCases) ?? .offline)
        case 188..<190: try resumeAccount()
        case 190: try close()
        case 191..<194: try open()
        case 194: try failStore()
        case 195..<199: journal.append(.renew)
        default: try stopAll()
        }
        try check()
    }

    /// Completes everything outstanding, and nothing else. Afterwards nothing may be left waiting.
    mutating func runDry() throws {
        for reason in SuspensionReason.allCases { try resume(reason) }
        try open()
        finishOther()
        journal.append(.renew)
        for held in requests where store.snapshot(of: held)?.waiting == .held {
            journal.append(.write(.retry(held, at: now.date)))
        }
        var rounds = 0
        while true {
            rounds += 1
            guard rounds < 3_000 else { throw violation("it never comes to rest") }
            if !journal.isEmpty || group != nil {
                try runJournal(mayFail: false)
            } else if !tasks.isEmpty {
                try runTask()
            } else if !suspendedAccounts.isEmpty {
                try resumeAccount()
            } else if isParked || recordings.values.contains(where: \.waits) {
                journal.append(.renew)
            } else if calls.values.contains(where: { if case .back = $0.step { false } else { true } }) {
                try providerActs(isDeaf: false)
            } else if alarm != nil, isAnythingLive || !recordings.isEmpty {
                // Nothing is outstanding except time.
                let wait = (alarm ?? now.clock) - now.clock
                try passTime(max(0.001, wait / .seconds(1)))
            } else {
                break
            }
            try check()
        }
        try checkDryness()
    }

    private var isAnythingLive: Bool {
        requests.contains { phase(of: $0).map { !$0.isFinal } ?? false }
    }

    /// Shuts the process down: all of its flights are released.
    mutating func shutDown() throws {
        for reason in SuspensionReason.allCases { try resume(reason) }
        if !isOpen { return }
        try close()
        try stopAll()
        var rounds = 0
        while !journal.isEmpty || group != nil || !tasks.isEmpty || core.running > 0 || !core.isQuiet {
            rounds += 1
            guard rounds < 3_000 else { throw violation("it never shuts down") }
            if !journal.isEmpty || group != nil {
                try runJournal(mayFail: false)
            } else if !tasks.isEmpty {
                try runTask()
            } else if let alarm, chance(2, in: 3) {
                try passTime(max(0.001, (alarm - now.clock) / .seconds(1)))
            } else {
                // Output that is being journalled has no deadline.
                try providerActs(isDeaf: false)
            }
            try check()
        }
        let waiting = recordings.filter(\.value.waits).keys
        for key in waiting { recordings[key]?.waits = false }
        try perform(after(core.resumeRecordings()), "last recordings")
        while !journal.isEmpty || group != nil || !tasks.isEmpty {
            if journal.isEmpty, group == nil { try runTask() } else { try runJournal(mayFail: false) }
        }
        try check()
        guard recordings.isEmpty else { throw violation("\(recordings.count) ends are not recorded at the shutdown") }
        let kept = Set(unreturned.map(\.flight))
        for id in flightIDs {
            guard let lifecycle = lifecycle(of: id), lifecycle.owner == owner, !kept.contains(id) else { continue }
            let isDeaf = calls[AttemptKey(flight: id, token: lifecycle.token)].map { $0.isAbandoned } ?? false
            // A flight of a provider that never returned was recorded, or settled by others.
            throw violation("flight \(id.rawValue) is left \(lifecycle) at the shutdown, deaf: \(isDeaf)")
        }
        guard core.flightCount == 0 else { throw violation("\(core.flightCount) flights are left at the shutdown") }
        core.retired()
        unreturned = []
        journal.append(.write(.retireOwner(owner, at: now.date)))
        try runJournal(mayFail: false)
        owner = Self.register(in: store, 1)
    }

    /// All flights of the history.
    var flightIDs: [FlightID] { (1...Int64(max(1, submitted * 2))).map { FlightID(rawValue: $0) } }

    // MARK: Opening, closing, suspending

    mutating func open() throws {
        if !isOpen { isParked = false }
        isOpen = true
        try perform(after(core.opened(as: owner)), "opened")
    }

    mutating func close() throws {
        isOpen = false
        isParked = false
        try perform(after(core.closed()), "closed")
    }

    private mutating func stopAll() throws {
        // Only a process that shuts down does that.
        guard !isOpen else { return }
        let expected = calls.filter { $0.value.holdsSlot && !$0.value.isBeyondStops && $0.value.reason == nil }.keys
        let effects = after(core.stopAll())
        try perform(
            effects, "stopped all", stops: Dictionary(uniqueKeysWithValues: expected.map { ($0, .interrupted) }))
        for key in expected where calls[key]?.reason == nil { throw violation("\(key.name) was not stopped") }
    }

    private mutating func failStore() throws {
        if isOpen { isParked = true }
        try perform(after(core.storeFailed(with: StoreWorkbench.failure)), "store failed")
    }

    private mutating func suspend() throws {
        let reason = any(SuspensionReason.allCases) ?? .offline
        let grace = Duration.milliseconds(Int.random(in: 0...3_000, using: &random))
        suspensions.insert(reason)
        graceEnds[reason] = min(graceEnds[reason] ?? now.clock + grace, now.clock + grace)
        try perform(
            after(core.suspended(for: reason, grace: grace)), "suspended for \(reason)", stops: graceStops)
        try checkGraces()
    }

    private mutating func resume(_ reason: SuspensionReason) throws {
        suspensions.remove(reason)
        graceEnds[reason] = nil
        try perform(after(core.resumed(from: reason)), "resumed from \(reason)")
    }

    private mutating func resumeAccount() throws {
        guard let account = any(suspendedAccounts.sorted { $0.rawValue < $1.rawValue }) else { return }
        suspendedAccounts.remove(account)
        if account == "shared" { pausedUntil = .distantPast }
        try perform(after(core.resumed(account)), "resumed \(account)")
    }

    /// Whether an attempt must stop because the network is missing.
    func isGraceOver(for key: AttemptKey) -> Bool {
        guard let call = calls[key], isOffline(call.flight.provider), let end = graceEnds[.offline] else {
            return false
        }
        return end <= now.clock
    }

    /// The attempts that must stop because the network is missing.
    private var graceStops: [AttemptKey: StopReason] {
        Dictionary(uniqueKeysWithValues: calls.keys.filter { isGraceOver(for: $0) }.map { ($0, .interrupted) })
    }

    func checkGraces() throws {
        for (key, call) in calls where call.holdsSlot && !call.isBeyondStops && call.reason == nil {
            if isGraceOver(for: key) { throw violation("\(key) goes on after the grace") }
        }
    }

    // MARK: Time

    /// Advances the time, and fires the shell's timer if it is due.
    private mutating func passTime(_ seconds: TimeInterval) throws {
        now = Moment(date: now.date.addingTimeInterval(seconds), clock: now.clock + .seconds(seconds))
        log.append("\(seconds) s pass")
        guard let fires = alarm, fires <= now.clock else { return }
        alarm = nil
        try fireTimer()
    }

    mutating func fireTimer() throws {
        let expected = calls.filter { $0.value.limit.map { $0 <= now.clock } ?? false }.keys.sorted()
        var silences: [AttemptKey: Duration] = [:]
        var reasons: [AttemptKey: StopReason] = [:]
        for key in expected {
            let isStopped = calls[key]?.reason != nil
            let silence: Duration? = !isStopped && chance(1, in: 6) ? .seconds(2) : nil
            silences[key] = silence
            guard !isStopped, let call = calls[key] else { continue }
            if let silence {
                calls[key]?.limit = now.clock + silence
            } else {
                reasons[key] = isOffline(call.flight.provider) ? .interrupted : .timedOut(after: Self.timeout)
            }
        }
        var due: [AttemptKey] = []
        let effects = after(
            core.timePassed { key in
                due.append(key)
                return silences[key]
            })
        guard due.sorted() == expected else { throw violation("due are \(due), and should be \(expected)") }
        try perform(
            effects, "time passed, due \(due.map(\.name))",
            stops: reasons.merging(graceStops) { reason, _ in reason })
        for (key, call) in calls where call.limit.map({ $0 <= now.clock }) ?? false {
            throw violation("\(key) is \(call.reason == nil ? "not stopped" : "not abandoned") in time")
        }
        try checkGraces()
        if let next = core.wake(), next <= now.clock { throw violation("the timer is set to the past again") }
    }

    func violation(_ what: String) -> EngineViolation {
        EngineViolation(
            description: "HABLARE_SEED=\(seed): \(what), after \(log.suffix(24).joined(separator: "; "))")
    }

    mutating func count(_ what: String) { counts[what, default: 0] += 1 }
}

extension RequestPhase {
    var isFinal: Bool { self == .completed || self == .failed || self == .cancelled }
}
