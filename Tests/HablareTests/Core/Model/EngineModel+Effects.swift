import Foundation
import HablareStores
import HablareTestKit

@testable import Hablare

/// Performs and checks the effects that the core decides.
extension EngineModel {
    /// Returns the effects of an event.
    mutating func after(_ event: Void) -> [EngineCore.Effect] { core.takeEffects() }

    /// Performs effects.
    ///
    /// - Parameter stops: The attempts that this event may stop, with the reasons.
    mutating func perform(
        _ effects: [EngineCore.Effect], _ event: String, stops: [AttemptKey: StopReason] = [:]
    ) throws {
        log.append(effects.isEmpty ? event : "\(event) → \(effects.compactMap(\.name))")
        if let wake = core.wake() {
            alarm = min(alarm ?? wake, wake)
        } else if core.isClosed {
            alarm = nil
        }
        for effect in effects { try perform(effect, stops) }
    }

    private mutating func perform(_ effect: EngineCore.Effect, _ stops: [AttemptKey: StopReason]) throws {
        switch effect {
        case .start(let flight):
            guard isOpen, !isParked, !isDraining(flight.provider) else {
                throw violation("a start while closed, parked or resting")
            }
            try spend(flight.provider)
            guard health[flight.provider]?.sent(flight.key, now: now.date) == true else {
                throw violation("a call to a provider that is left alone")
            }
            guard leases[flight.key] == .queued else {
                throw violation("\(flight.key.name) is started without a lease")
            }
            try begin(flight, .journalling)
            tasks.append(.prepare(flight.key))
        case .run(let flight):
            guard runs.remove(flight.key) != nil else { throw violation("a run in a lane that is closed or rests") }
            try begin(flight, .working)
            calls[flight.key]?.limit = now.clock + Self.timeout
        case .stop(let key): try stop(key, stops[key])
        case .abandon(let key, let reason): try abandon(key, reason)
        case .resumeRecording(let keys): for key in keys { journal.append(.settle(key)) }
        case .claim(let provider, let limit):
            guard limit > 0, isOpen, !isParked, !isDraining(provider) else { throw violation("a claim of \(limit)") }
            if let useful = health[provider]?.useful(at: now.date), limit > useful {
                throw violation("a claim of \(limit) for \(provider), which is left alone")
            }
            core.storeTasks.began(needsNetwork: needsNetwork(provider))
            journal.append(.claim(provider, limit: limit))
        case .reserve(let request):
            guard !request.costs.isEmpty, isOpen, !isParked, request.account == "shared",
                !isDraining("c") || !isDraining("d")
            else { throw violation("a reservation of \(request.costs.count)") }
            journal.append(.reserve(request))
        case .release(let flights):
            for flight in flights {
                guard leases[flight.key] == .queued else {
                    throw violation("\(flight.key.name) is given back, and not held")
                }
                leases[flight.key] = .releasing
            }
            core.storeTasks.began(needsNetwork: flights.contains { needsNetwork($0.provider) })
            journal.append(.release(flights))
        case .sweep:
            guard isOpen, !isSweeping else { throw violation("a sweep while closed, or beside another") }
            isSweeping = true
            core.storeTasks.began(needsNetwork: false)
            journal.append(.sweep)
        case .look(let look): tasks.append(.look(look))
        case .end(let watched, let result): for each in watched { try end(each, result) }
        case .listen(let isWanted):
            guard isWanted != isListening else { throw violation("it listens already, or does not") }
            isListening = isWanted
        case .report(let report): core.reported(report, isWritten: true)
        case .wakeReaders, .failReaders, .wakeReadersOfFlight, .silence, .revive, .event, .answers: break
        }
    }

    // MARK: Attempts

    private mutating func begin(_ flight: QueuedFlight, _ step: Call.Step) throws {
        if let other = calls.first(where: { $0.key.flight == flight.id && $0.value.holdsSlot }) {
            throw violation("\(flight.key.name) is started beside \(other.key.name)")
        }
        guard calls[flight.key] == nil, recordings[flight.key] == nil else {
            throw violation("\(flight.key.name) is started twice")
        }
        leases[flight.key] = .underWay
        doubtful.remove(flight.key)
        calls[flight.key] = Call(flight: flight, lifecycle: flight.lifecycle, step: step)
    }

    private mutating func stop(_ key: AttemptKey, _ reason: StopReason?) throws {
        guard let call = calls[key], call.holdsSlot, !call.isBeyondStops else {
            throw violation("a stop of \(key.name), which is not under way")
        }
        guard call.reason == nil else { throw violation("\(key.name) is stopped twice") }
        guard let reason else { throw violation("\(key.name) is stopped for no reason") }
        count("stopped")
        calls[key]?.reason = reason
        let isJournalled: Bool
        if case .journalling = call.step { isJournalled = call.limit != nil } else { isJournalled = true }
        calls[key]?.limit = isJournalled ? now.clock + Self.grace : nil
    }

    private mutating func abandon(_ key: AttemptKey, _ reason: StopReason) throws {
        guard let call = calls[key], call.holdsSlot, call.reason == reason, let limit = call.limit,
            limit <= now.clock
        else { throw violation("\(key.name) is abandoned too early, or for another reason") }
        count("abandoned")
        calls[key]?.isAbandoned = true
        calls[key]?.limit = nil
        leases[key] = nil
        switch reason {
        case .timedOut:
            health[call.flight.provider]?.ended(key, .failing, now: now.date)
            record(call, Reply(result: .failure(.timedOut(after: Self.timeout))), reason, isStandIn: true)
        case .interrupted:
            health[call.flight.provider]?.ended(key, .unknown, now: now.date)
            record(call, Reply(result: .failure(.interrupted)), reason, isStandIn: true)
        case .cancelled, .expired, .offline:
            health[call.flight.provider]?.ended(key, .unknown, now: now.date)
        }
    }

    /// Sends a call of a limited provider: it needs a permit and no pause.
    mutating func spend(_ provider: ProviderID) throws {
        guard isLimited(provider) else { return }
        if freeUntil <= now.date { permits -= 1 }
        guard permits >= 0 else { throw violation("a call without a permit") }
        guard pausedUntil <= now.date else { throw violation("a call while the account is paused") }
    }

    // MARK: Invariants

    func check() throws {
        try checkPlaces()
        try checkQueues()
        try checkHoard()
        try checkTimer()
        guard isListening == (isOpen || !core.watched.isEmpty || core.readers > 0) else {
            throw violation("it listens: \(isListening)")
        }
        let isRecording = recordings.values.contains { !$0.waits }
        let isJournallingOutput = calls.values.contains { call in
            if case .journallingOutput = call.step { call.holdsSlot && call.reason == nil } else { false }
        }
        let isQuiet = core.placed == 0 && core.storeTasks.count == 0 && !isRecording && !isJournallingOutput
        guard core.isQuiet == isQuiet else { throw violation("it is quiet: \(core.isQuiet)") }
        if log.count % 8 == 0 { try checkWatched() }
    }

    private func checkWatched() throws {
        let ids = Set(waiters.values)
        guard Set(core.watched.ids) == ids else { throw violation("watched are \(core.watched.ids), not \(ids)") }
    }

    private func checkPlaces() throws {
        let holding = calls.filter(\.value.holdsSlot)
        let placed = group?.submissions ?? []
        for load in core.loads {
            let running = holding.values.count { $0.flight.provider == load.provider }
            let promised = placed.count { $0.provider == load.provider && $0.placement == .start }
            guard running + promised <= concurrency(of: load.provider) else {
                throw violation("\(running) under way and \(promised) promised at \(load.provider)")
            }
            guard load.running == running + promised else {
                throw violation("\(load.running) places are taken at \(load.provider), by \(running) and \(promised)")
            }
        }
        guard core.underWay == holding.keys.sorted(), core.running == holding.count else {
            throw violation("under way are \(core.underWay), not \(holding.keys.sorted())")
        }
        let promised = placed.count { $0.placement != .leave }
        guard core.placed == promised else { throw violation("\(core.placed) places are promised, not \(promised)") }
    }

    private func checkQueues() throws {
        let holding = Set(calls.filter(\.value.holdsSlot).keys.map(\.flight))
        let queued = leases.filter { $0.value == .queued }.keys
        let certain = queued.filter { !doubtful.contains($0) }
        guard certain.count + holding.count...queued.count + holding.count ~= core.flightCount else {
            throw violation(
                "\(core.flightCount) are here: \(holding.count) under way, \(core.loads.map(\.queued)) and \(core.deferred.values.map(\.key.name)); queued are \(queued.map(\.name).sorted())"
            )
        }
    }

    /// Checks what a lane may hold if it is suspended or its provider is left alone.
    private func checkHoard() throws {
        let holding = Set(calls.filter(\.value.holdsSlot).keys.map(\.flight))
        for lane in lanes {
            let queued = leases.filter { key, place in
                place == .queued && providers[key] == lane.provider && !holding.contains(key.flight)
                    && !doubtful.contains(key)
            }
            if givesBack(lane.provider), !queued.isEmpty {
                throw violation("\(queued.keys.map(\.name)) are queued in a lane that is closed or rests")
            }
            if isOpen, !isParked, let useful = health[lane.provider]?.useful(at: now.date), queued.count > useful {
                throw violation("\(queued.count) flights are held for \(lane.provider), which is left alone")
            }
        }
    }

    private func checkTimer() throws {
        let limits = calls.values.compactMap(\.limit)
        if let earliest = limits.min(), alarm.map({ $0 > earliest }) ?? true {
            throw violation(
                "an attempt's time ends at \(earliest), and the timer fires at \(String(describing: alarm))")
        }
        guard let end = graceEnds[.offline] else { return }
        for (key, call) in calls where call.holdsSlot && !call.isBeyondStops && isOffline(call.flight.provider) {
            if call.reason == nil, alarm.map({ $0 > end }) ?? true {
                throw violation("\(key.name) has to stop at \(end), and the timer does not fire")
            }
        }
    }

    /// Checks that everything is over once nothing is outstanding.
    func checkDryness() throws {
        try checkWatched()
        for id in requests {
            guard let snapshot = store.snapshot(of: id) else { continue }
            guard snapshot.phase.isFinal else {
                let flight = snapshot.flight.flatMap { lifecycle(of: $0) }
                throw violation(
                    "request \(id), flight \(snapshot.flight?.rawValue ?? 0), is left \(snapshot.phase) although nothing is outstanding: deadline \(String(describing: store.request(of: id)?.request.deadline)), \(String(describing: flight)), time \(now.date)"
                )
            }
        }
        guard core.flightCount == 0, core.isQuiet, calls.isEmpty, recordings.isEmpty else {
            throw violation(
                "\(core.flightCount) flights are left at the end, \(calls.count) calls, \(recordings.count) ends")
        }
        guard core.watched.isEmpty else { throw violation("\(core.watched.ids) are watched although they are final") }
    }
}

extension EngineCore.Effect {
    /// The name of the effect, or `nil` if the model ignores it.
    fileprivate var name: String? {
        switch self {
        case .start(let flight): "start \(flight.key.name)"
        case .run(let flight): "run \(flight.key.name)"
        case .claim(let provider, let limit): "claim \(limit) of \(provider)"
        case .stop(let key): "stop \(key.name)"
        case .abandon(let key, let reason): "abandon \(key.name): \(reason)"
        case .resumeRecording(let keys): "record \(keys.map(\.name))"
        case .release(let flights): "release \(flights.map(\.key.name))"
        case .reserve(let request): "reserve \(request.costs.count)"
        case .sweep: "sweep"
        case .look: "look"
        case .end(_, let result): "end waits: \(result)".prefix(60) + ""
        case .listen(let isWanted): "listen: \(isWanted)"
        case .report, .wakeReaders, .failReaders, .wakeReadersOfFlight, .silence, .revive, .event, .answers: nil
        }
    }
}
