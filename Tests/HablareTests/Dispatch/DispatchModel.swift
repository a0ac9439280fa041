import Foundation
import HablareTestKit

@testable import Hablare

/// What the dispatch core did that it may not.
struct DispatchViolation: Error, CustomStringConvertible {
    let description: String
}

/// A bookkeeper of its own around a `DispatchCore`: a store, a shell that takes its time, and the invariants.
///
/// It knows nothing of lanes' windows or turns; it only knows where each flight is, what was promised and what was
/// asked for, and that all of it happens in any order. Two of its four providers share an account with a limit; two need
/// no network.
struct DispatchModel {
    private enum Place: Equatable {
        /// In the store, for anybody.
        case waiting
        /// In the store, for nobody before a date.
        case backingOff(Date)
        /// Leased to this process; the news of it is on its way to the core.
        case leasedUntold
        /// In the core's queue.
        case queued
        /// Under way: told to start or run, and not yet ended.
        case underWay
        /// On its way back to the store.
        case releasing
        case over
    }

    private enum Errand {
        case submission(ProviderID, DispatchCore.Placement, Priority)
        case stored(QueuedFlight, DispatchCore.Placement)
        case dropped(ProviderID, DispatchCore.Placement)
        case claim(ProviderID, limit: Int)
        case claimed(ProviderID, [QueuedFlight], nextDue: Date?, asked: Int)
        case reserve(PermitRequest)
        case granted(AccountID, PermitGrant)
        case postponed(ProviderID, Date)
        case start(QueuedFlight)
        case run(FlightID)
        case release([QueuedFlight])
        case news
        case cancelled(FlightID)
    }

    private let seed: UInt64
    private var random: SeededGenerator
    private var core: DispatchCore
    private let concurrency: [ProviderID: Int]
    private var places: [FlightID: Place] = [:]
    private var flights: [FlightID: QueuedFlight] = [:]
    private var toldCancelled: Set<FlightID> = []
    private var errands: [Errand] = []
    private var promisedStarts: [ProviderID: Int] = [:]
    private var isOpen = false
    private var isParked = false
    private var suspensions: Set<SuspensionReason> = []
    private var log: [String] = []
    private let providers: [ProviderID]
    private var now = StoreWorkbench.date(0)
    private var health: [ProviderID: ProviderHealth] = [:]
    /// What was granted to the shared account, less what was spent; and until when it is paused.
    private var permits = 0
    /// Until when no permits are needed, as the store knew of no limit; and until when it may say so without knowing better.
    private var freeUntil = Date.distantPast
    private var countsUntil = Date.distantPast
    private var pausedUntil = Date.distantPast
    /// When the shell's alarm fires: set after every event, as the shell does.
    private var alarm: Date?
    private(set) var finished = 0

    init(seed: UInt64) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        let limit = RateLimit(requestsPerMinute: 600)
        let lanes = [
            LaneDescription(provider: "a", concurrency: Int.random(in: 1...2, using: &random)),
            LaneDescription(
                provider: "b", concurrency: Int.random(in: 1...6, using: &random), needsNetwork: false),
            LaneDescription(
                provider: "c", concurrency: Int.random(in: 1...6, using: &random), account: "shared", rate: limit),
            LaneDescription(
                provider: "d", concurrency: Int.random(in: 1...6, using: &random), account: "shared", rate: limit,
                needsNetwork: false),
        ]
        core = DispatchCore(
            lanes: lanes.map { lane in
                var lane = lane
                lane.breaker = ProviderHealth.policy
                return lane
            })
        concurrency = Dictionary(uniqueKeysWithValues: lanes.map { ($0.provider, $0.concurrency) })
        providers = lanes.map(\.provider)
        for provider in providers { health[provider] = ProviderHealth() }
    }

    // MARK: Steps

    mutating func step() throws {
        switch Int.random(in: 0..<106, using: &random) {
        case 100: try suspend()
        case 101..<106: try resume(SuspensionReason.allCases.randomElement(using: &random) ?? .offline)
        case 0..<18: try submit()
        case 18..<82: try doSomeErrand()
        case 82..<86: foreignSubmission()
        case 86..<91: try cancelSomething()
        case 91..<92: try close()
        case 92..<95: try open()
        case 95..<96: park()
        case 96..<99: try passTime(Double.random(in: 0...3, using: &random))
        default: try recover()
        }
        try check()
    }

    /// Lets everything that is outstanding happen, and nothing else; then nothing may be left waiting.
    mutating func runDry() throws {
        try open()
        try recover()
        for reason in SuspensionReason.allCases { try resume(reason) }
        while true {
            while !errands.isEmpty {
                try doSomeErrand(failing: false)
                try check()
            }
            // Nothing is outstanding but, perhaps, time.
            guard places.values.contains(where: { $0 != .over }), let wake = alarm else { break }
            try passTime(max(0.001, wake.timeIntervalSince(now)))
        }
        guard let (flight, place) = places.sorted(by: { $0.key < $1.key }).first(where: { $0.value != .over }) else {
            return
        }
        throw violation("flight \(flight.rawValue) is left \(place) although nothing is outstanding")
    }

    /// Time passes, and the shell's alarm fires if it was set to a date that has come.
    private mutating func passTime(_ seconds: TimeInterval) throws {
        now.addTimeInterval(seconds)
        log.append("\(seconds) s pass")
        if let fires = alarm, fires <= now {
            alarm = nil
            try perform(core.timePassed(now: now), "alarm")
            if let next = core.wake(after: now), next <= now { throw violation("the alarm is set to the past again") }
        }
    }

    private func isResting(_ provider: ProviderID) -> Bool {
        let needsNetwork = provider == "a" || provider == "c"
        return suspensions.contains(.background) || needsNetwork && suspensions.contains(.offline)
    }

    private mutating func suspend() throws {
        let reason = SuspensionReason.allCases.randomElement(using: &random) ?? .offline
        suspensions.insert(reason)
        try perform(core.suspended(for: reason), "suspended for \(reason)")
    }

    private mutating func resume(_ reason: SuspensionReason) throws {
        suspensions.remove(reason)
        try perform(core.resumed(from: reason, now: now), "resumed from \(reason)")
    }

    private func isLimited(_ provider: ProviderID) -> Bool { provider == "c" || provider == "d" }

    private mutating func submit() throws {
        let provider = providers.randomElement(using: &random) ?? "a"
        let placement = core.submitting(to: provider, cost: 1, now: now)
        log.append("submitting \(provider): \(placement)")
        guard placement == .leave || !isResting(provider) else { throw violation("a place in a lane that rests") }
        guard placement == .leave || health[provider]?.openUntil == nil else {
            throw violation("a place in the lane of a provider that fails")
        }
        if placement == .start {
            promisedStarts[provider, default: 0] += 1
            try spend(provider)
        }
        let priority = Priority.allCases.randomElement(using: &random) ?? .normal
        errands.append(.submission(provider, placement, priority))
    }

    private mutating func foreignSubmission() {
        newFlight(providers.randomElement(using: &random) ?? "a", .normal, place: .waiting)
        errands.append(.news)
    }

    /// A call of a limited provider is sent: it needs a permit, and no pause.
    private mutating func spend(_ provider: ProviderID) throws {
        guard isLimited(provider) else { return }
        if freeUntil <= now { permits -= 1 }
        guard permits >= 0 else { throw violation("a call without a permit") }
        guard pausedUntil <= now else { throw violation("a call while the account is paused") }
    }

    @discardableResult
    private mutating func newFlight(_ provider: ProviderID, _ priority: Priority, place: Place) -> QueuedFlight {
        let id = FlightID(rawValue: Int64(places.count + 1))
        let request = AIRequest(id: StoreWorkbench.id(places.count + 1), prompt: "", priority: priority)
        let flight = QueuedFlight(id: id, lifecycle: FlightLifecycle(), request: request, provider: provider, cost: 1)
        places[id] = place
        flights[id] = flight
        return flight
    }

    private mutating func doSomeErrand(failing: Bool = true) throws {
        guard !errands.isEmpty else { return }
        let errand = errands.remove(at: Int.random(in: 0..<errands.count, using: &random))
        let fails = failing && Int.random(in: 0..<10, using: &random) == 0
        switch errand {
        case .submission(let provider, let placement, let priority):
            if fails { return errands.append(.dropped(provider, placement)) }
            let place: Place =
                switch placement {
                case .start: .underWay
                case .lease: .leasedUntold
                case .leave: .waiting
                }
            errands.append(.stored(newFlight(provider, priority, place: place), placement))
        case .dropped(let provider, let placement):
            if placement == .start {
                promisedStarts[provider, default: 0] -= 1
                if isLimited(provider) { permits += 1 }
            }
            try perform(
                core.submissionDropped(to: provider, placement: placement, cost: 1, now: now), "dropped \(placement)")
        case .stored(let flight, let placement):
            if placement == .start { promisedStarts[flight.provider, default: 0] -= 1 }
            let isUnwanted = !isOpen || isResting(flight.provider) || toldCancelled.contains(flight.id)
            if placement == .start, isUnwanted, isLimited(flight.provider) { permits += 1 }
            let effects = core.submitted(flight, as: placement, now: now)
            if placement == .lease { arrived(flight, effects) }
            if placement == .start, places[flight.id] == .underWay, !effects.contains(where: { $0.concerns(flight.id) })
            {
                throw violation("flight \(flight.id.rawValue) was started by its submission and then forgotten")
            }
            try perform(effects, "submitted \(flight.id.rawValue) \(placement)")
        case .claim(let provider, let limit):
            if fails {
                isParked = isParked || isOpen
                core.claimFailed(by: provider)
                return log.append("claim failed")
            }
            for (id, place) in places {
                if case .backingOff(let until) = place, until <= now { places[id] = .waiting }
            }
            let nextDue = places.compactMap { id, place -> Date? in
                guard case .backingOff(let until) = place, flights[id]?.provider == provider else { return nil }
                return until
            }.min()
            let taken = places.filter { $0.value == .waiting && flights[$0.key]?.provider == provider }.keys
                .compactMap { flights[$0] }
                .sorted { ($0.request.priority, $0.id) < ($1.request.priority, $1.id) }.prefix(limit)
            for flight in taken { places[flight.id] = .leasedUntold }
            errands.append(.claimed(provider, Array(taken), nextDue: nextDue, asked: limit))
        case .reserve(let request):
            if fails {
                isParked = isParked || isOpen
                core.reserveFailed(of: request.account)
                return log.append("reserve failed")
            }
            if Int.random(in: 0..<8, using: &random) == 0 {
                let grant = PermitGrant(costs: request.costs, next: nil, isUnlimited: true)
                return errands.append(.granted(request.account, grant))
            }
            let granted = Int.random(in: 0...request.costs.count, using: &random)
            permits += granted
            let next = granted < request.costs.count ? now.addingTimeInterval(0.5) : nil
            errands.append(
                .granted(request.account, PermitGrant(costs: Array(request.costs.prefix(granted)), next: next)))
        case .granted(let account, let grant):
            let isFree = grant.isUnlimited && countsUntil <= now
            freeUntil = isFree ? now.addingTimeInterval(Account.permitLifetime) : .distantPast
            if grant.isUnlimited, !isFree { permits += grant.costs.count }
            try perform(core.granted(grant, of: account, now: now), "granted \(grant.costs.count)")
        case .postponed(let provider, let until):
            try perform(core.postponed(provider, until: until, now: now), "postponed at \(provider)")
        case .claimed(let provider, let taken, let nextDue, let asked):
            let effects = core.claimed(taken, nextDue: nextDue, by: provider, asked: asked, now: now)
            for flight in taken { arrived(flight, effects) }
            try perform(effects, "claimed \(taken.map(\.id.rawValue))")
        case .start(let flight):
            if fails { return try startFailed(flight) }
            if places[flight.id] == .over { return try end(flight.id) }  // refused: it was cancelled
            errands.append(.run(flight.id))
        case .run(let id):
            try end(id)
        case .release(let released):
            for flight in released where places[flight.id] == .releasing {
                places[flight.id] = .waiting
                // Given back to a store that this process still works on: it will be told.
                errands.append(.news)
            }
        case .news:
            try perform(core.backlogMayExist(now: now), "news")
        case .cancelled(let id):
            toldCancelled.insert(id)
            try perform(core.cancelled(id, token: .max, now: now), "cancelled \(id.rawValue)")
        }
    }

    private var underWay: Set<FlightID> = []

    /// A flight that the core was told of is in its queue, unless the core says otherwise in the same breath.
    private mutating func arrived(_ flight: QueuedFlight, _ effects: [DispatchCore.Effect]) {
        if places[flight.id] == .leasedUntold { places[flight.id] = .queued }
    }

    private mutating func startFailed(_ flight: QueuedFlight) throws {
        underWay.remove(flight.id)
        if places[flight.id] == .underWay { places[flight.id] = .queued }
        isParked = isParked || isOpen
        if isLimited(flight.provider) { permits += 1 }
        health[flight.provider]?.ended(flight.id, .unknown, now: now)
        try perform(core.startFailed(flight, now: now), "start failed \(flight.id.rawValue)")
    }

    private mutating func end(_ id: FlightID) throws {
        guard let provider = flights[id]?.provider else { return }
        let health: Breaker.Health =
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5: .sound
            case 5..<9: .failing
            default: .unknown
            }
        var end = DispatchCore.CallEnd(health: health)
        if isLimited(provider), Int.random(in: 0..<10, using: &random) == 0 {
            end.pausedUntil = now.addingTimeInterval(Double.random(in: 0...2, using: &random))
            pausedUntil = max(pausedUntil, end.pausedUntil ?? now)
        }
        if isLimited(provider), Int.random(in: 0..<10, using: &random) == 0 {
            end.limits = ReportedLimits(requests: ReportedLimits.Quota(perMinute: 600))
        }
        if end.pausedUntil != nil || end.limits != nil {
            freeUntil = .distantPast
            countsUntil = now.addingTimeInterval(Account.permitLifetime)
        }
        if places[id] == .underWay, health == .failing, Bool.random(using: &random) {
            let until = now.addingTimeInterval(Double.random(in: 0...5, using: &random))
            places[id] = .backingOff(until)
            errands.append(.postponed(provider, until))
        } else {
            if places[id] == .underWay { finished += 1 }
            places[id] = .over
        }
        underWay.remove(id)
        self.health[provider]?.ended(id, health, now: now)
        try perform(core.ended(id, end, now: now), "ended \(id.rawValue) \(health)")
    }

    private mutating func cancelSomething() throws {
        let live = places.filter { $0.value != .over }.keys.sorted()
        guard let id = live.randomElement(using: &random) else { return }
        places[id] = .over  // in the store; the core hears of it when it hears of it
        errands.append(.cancelled(id))
    }

    private mutating func open() throws {
        if !isOpen { isParked = false }
        isOpen = true
        try perform(core.opened(now: now), "opened")
    }

    private mutating func close() throws {
        isOpen = false
        isParked = false
        try perform(core.closed(), "closed")
    }

    private mutating func park() {
        isParked = isOpen
        core.storeFailed()
        log.append("store failed")
    }

    private mutating func recover() throws {
        isParked = false
        try perform(core.storeRecovered(now: now), "store recovered")
    }

    // MARK: Effects and invariants

    private mutating func perform(_ effects: [DispatchCore.Effect], _ event: String) throws {
        log.append("\(event) → \(effects.map(\.name))")
        if let wake = core.wake(after: now) { alarm = min(alarm ?? wake, wake) }
        for effect in effects {
            switch effect {
            case .start(let flight):
                guard isOpen, !isParked, !isResting(flight.provider) else {
                    throw violation("a start while closed, parked or resting")
                }
                try spend(flight.provider)
                guard health[flight.provider]?.sent(flight.id, now: now) == true else {
                    throw violation("a call to a provider that is left alone")
                }
                try begin(flight)
                errands.append(.start(flight))
            case .run(let flight):
                if toldCancelled.contains(flight.id) {
                    throw violation("flight \(flight.id.rawValue) is run although it was cancelled")
                }
                guard !isResting(flight.provider) else { throw violation("a run in a lane that rests") }
                try begin(flight)
                errands.append(.run(flight.id))
            case .claim(let provider, let limit):
                guard limit > 0, isOpen, !isParked, !isResting(provider) else {
                    throw violation("a claim of \(limit)")
                }
                if let useful = health[provider]?.useful(at: now), limit > useful {
                    throw violation("a claim of \(limit) for \(provider), which is left alone")
                }
                errands.append(.claim(provider, limit: limit))
            case .reserve(let request):
                guard !request.costs.isEmpty, isOpen, !isParked, request.account == "shared",
                    !isResting("c") || !isResting("d")
                else {
                    throw violation("a reservation of \(request.costs.count)")
                }
                errands.append(.reserve(request))
            case .report:
                break
            case .stop(let id):
                guard underWay.contains(id) else { throw violation("a stop of what is not under way") }
            case .release(let released):
                for flight in released {
                    guard !underWay.contains(flight.id) else { throw violation("a release of what is under way") }
                    if places[flight.id] != .over { places[flight.id] = .releasing }
                }
                errands.append(.release(released))
            }
        }
    }

    private mutating func begin(_ flight: QueuedFlight) throws {
        guard underWay.insert(flight.id).inserted else {
            throw violation("flight \(flight.id.rawValue) is started twice")
        }
        let place = places[flight.id]
        guard place == .queued || place == .leasedUntold || place == .underWay || place == .over else {
            throw violation("flight \(flight.id.rawValue) is started without a lease")
        }
        if places[flight.id] != .over { places[flight.id] = .underWay }
    }

    private func check() throws {
        for (provider, limit) in concurrency {
            let running = underWay.filter { flights[$0]?.provider == provider }.count
            guard running + promisedStarts[provider, default: 0] <= limit else {
                throw violation("\(running) under way of \(limit) allowed for \(provider)")
            }
        }
        guard core.running == underWay.count else {
            throw violation("the core counts \(core.running) under way, they are \(underWay.count)")
        }
        if let flight = places.first(where: { id, place in
            place == .queued && flights[id].map { isResting($0.provider) } ?? false
        }) {
            throw violation("flight \(flight.key.rawValue) is queued in a lane that rests")
        }
        for (provider, health) in health where isOpen && !isParked && !isResting(provider) {
            let held = places.filter { $0.value == .queued && flights[$0.key]?.provider == provider }.count
            if let useful = health.useful(at: now), held > useful {
                throw violation("\(held) flights are held for \(provider), which is left alone")
            }
        }
        let queued = places.filter { $0.value == .queued }.count
        guard core.held >= queued + underWay.count else {
            throw violation("the core holds \(core.held), it was given \(queued) and runs \(underWay.count)")
        }
    }

    private func violation(_ what: String) -> DispatchViolation {
        DispatchViolation(description: "HABLARE_SEED=\(seed): \(what), after \(log.suffix(12).joined(separator: "; "))")
    }
}

extension DispatchCore.Effect {
    fileprivate var name: String {
        switch self {
        case .start(let flight): "start \(flight.id.rawValue)"
        case .run(let flight): "run \(flight.id.rawValue)"
        case .claim(let provider, let limit): "claim \(limit) of \(provider)"
        case .stop(let id): "stop \(id.rawValue)"
        case .release(let flights): "release \(flights.map(\.id.rawValue))"
        case .reserve(let request): "reserve \(request.costs.count)"
        case .report: "report"
        }
    }

    fileprivate func concerns(_ id: FlightID) -> Bool {
        switch self {
        case .start(let flight), .run(let flight): flight.id == id
        case .release(let flights): flights.contains { $0.id == id }
        case .claim, .stop, .reserve, .report: false
        }
    }
}
