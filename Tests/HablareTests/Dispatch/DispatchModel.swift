import HablareTestKit

@testable import Hablare

/// What the dispatch core did that it may not.
struct DispatchViolation: Error, CustomStringConvertible {
    let description: String
}

/// A bookkeeper of its own around a `DispatchCore`: a store, a shell that takes its time, and the invariants.
///
/// It knows nothing of lanes' windows or turns; it only knows where each flight is, what was promised and what was
/// asked for, and that all of it happens in any order.
struct DispatchModel {
    private enum Place: Equatable {
        /// In the store, for anybody.
        case waiting
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
        case claimed(ProviderID, [QueuedFlight], asked: Int)
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
    private var log: [String] = []
    private let providers: [ProviderID]
    private(set) var finished = 0

    init(seed: UInt64) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        let lanes: [(provider: ProviderID, concurrency: Int)] = [
            ("a", Int.random(in: 1...2, using: &random)), ("b", Int.random(in: 1...6, using: &random)),
        ]
        core = DispatchCore(lanes: lanes)
        concurrency = Dictionary(uniqueKeysWithValues: lanes.map { ($0.provider, $0.concurrency) })
        providers = lanes.map(\.provider)
    }

    // MARK: Steps

    mutating func step() throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<18: submit()
        case 18..<82: try doSomeErrand()
        case 82..<86: foreignSubmission()
        case 86..<91: try cancelSomething()
        case 91..<92: try close()
        case 92..<95: try open()
        case 95..<96: park()
        default: try recover()
        }
        try check()
    }

    /// Lets everything that is outstanding happen, and nothing else; then nothing may be left waiting.
    mutating func runDry() throws {
        try open()
        try recover()
        while !errands.isEmpty {
            try doSomeErrand(failing: false)
            try check()
        }
        guard let (flight, place) = places.sorted(by: { $0.key < $1.key }).first(where: { $0.value != .over }) else {
            return
        }
        throw violation("flight \(flight.rawValue) is left \(place) although nothing is outstanding")
    }

    private mutating func submit() {
        let provider = providers.randomElement(using: &random) ?? "a"
        let placement = core.submitting(to: provider)
        log.append("submitting \(provider): \(placement)")
        if placement == .start { promisedStarts[provider, default: 0] += 1 }
        let priority = Priority.allCases.randomElement(using: &random) ?? .normal
        errands.append(.submission(provider, placement, priority))
    }

    private mutating func foreignSubmission() {
        newFlight(providers.randomElement(using: &random) ?? "a", .normal, place: .waiting)
        errands.append(.news)
    }

    @discardableResult
    private mutating func newFlight(_ provider: ProviderID, _ priority: Priority, place: Place) -> QueuedFlight {
        let id = FlightID(rawValue: Int64(places.count + 1))
        let request = AIRequest(id: StoreWorkbench.id(places.count + 1), prompt: "", priority: priority)
        let flight = QueuedFlight(id: id, lifecycle: FlightLifecycle(), request: request, provider: provider)
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
            if placement == .start { promisedStarts[provider, default: 0] -= 1 }
            try perform(core.submissionDropped(to: provider, placement: placement), "dropped \(placement)")
        case .stored(let flight, let placement):
            if placement == .start { promisedStarts[flight.provider, default: 0] -= 1 }
            let effects = core.submitted(flight, as: placement)
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
            let taken = places.filter { $0.value == .waiting && flights[$0.key]?.provider == provider }.keys
                .compactMap { flights[$0] }
                .sorted { ($0.request.priority, $0.id) < ($1.request.priority, $1.id) }.prefix(limit)
            for flight in taken { places[flight.id] = .leasedUntold }
            errands.append(.claimed(provider, Array(taken), asked: limit))
        case .claimed(let provider, let taken, let asked):
            let effects = core.claimed(taken, by: provider, asked: asked)
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
            try perform(core.backlogMayExist(), "news")
        case .cancelled(let id):
            toldCancelled.insert(id)
            try perform(core.cancelled(id, token: .max), "cancelled \(id.rawValue)")
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
        try perform(core.startFailed(flight), "start failed \(flight.id.rawValue)")
    }

    private mutating func end(_ id: FlightID) throws {
        if places[id] == .underWay { finished += 1 }
        places[id] = .over
        underWay.remove(id)
        try perform(core.ended(id), "ended \(id.rawValue)")
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
        try perform(core.opened(), "opened")
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
        try perform(core.storeRecovered(), "store recovered")
    }

    // MARK: Effects and invariants

    private mutating func perform(_ effects: [DispatchCore.Effect], _ event: String) throws {
        log.append("\(event) → \(effects.map(\.name))")
        for effect in effects {
            switch effect {
            case .start(let flight):
                guard isOpen, !isParked else { throw violation("a start while closed or parked") }
                try begin(flight)
                errands.append(.start(flight))
            case .run(let flight):
                if toldCancelled.contains(flight.id) {
                    throw violation("flight \(flight.id.rawValue) is run although it was cancelled")
                }
                try begin(flight)
                errands.append(.run(flight.id))
            case .claim(let provider, let limit):
                guard limit > 0, isOpen, !isParked else { throw violation("a claim of \(limit)") }
                errands.append(.claim(provider, limit: limit))
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
        guard places[flight.id] != .waiting, places[flight.id] != .releasing else {
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
        }
    }

    fileprivate func concerns(_ id: FlightID) -> Bool {
        switch self {
        case .start(let flight), .run(let flight): flight.id == id
        case .release(let flights): flights.contains { $0.id == id }
        case .claim, .stop: false
        }
    }
}
