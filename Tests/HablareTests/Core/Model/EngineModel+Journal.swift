import Foundation
import HablareStores
import HablareTestKit

@testable import Hablare

/// The journal: its waiting entries and its commits.
extension EngineModel {
    enum Entry {
        case submit([Submission])
        /// A write whose receipt the engine does not wait for.
        case write(StoreWrite)
        case start(AttemptKey)
        case settle(AttemptKey)
        case release([QueuedFlight])
        case claim(ProviderID, limit: Int)
        case reserve(PermitRequest)
        case sweep
        case renew
        /// A read of the other process's commits.
        case notice

        /// Whether the entry is part of a commit.
        var isWrite: Bool {
            switch self {
            case .submit, .write, .start, .settle, .release, .sweep, .renew: true
            case .claim, .reserve, .notice: false
            }
        }
    }

    /// A commit that is about to be made.
    struct Group {
        let entries: [Entry]
        /// The number of writes of each entry.
        let counts: [Int]
        var writes: [StoreWrite]

        var submissions: [Submission] {
            writes.compactMap { if case .submit(let submission) = $0 { submission } else { nil } }
        }
    }

    // MARK: Running

    /// Places the submissions of the next group, writes the placed group, or takes another step of the journal.
    mutating func runJournal(mayFail: Bool = true) throws {
        if let group {
            self.group = nil
            return try write(group, isFailing: mayFail && chance(1, in: 20))
        }
        guard let first = journal.first else { return }
        guard first.isWrite else {
            journal.removeFirst()
            return try act(first, isFailing: mayFail && chance(1, in: 16))
        }
        let entries = Array(journal.prefix(Int.random(in: 1...5, using: &random)).prefix { $0.isWrite })
        journal.removeFirst(entries.count)
        let writes = try entries.map { try self.writes(of: $0) }
        var group = Group(entries: entries, counts: writes.map(\.count), writes: Array(writes.joined()))
        let before = group.submissions.map(\.placement)
        guard before.allSatisfy({ $0 == .leave }) else { throw violation("a submission was placed before") }
        core.place(&group.writes)
        try perform(core.takeEffects(), "placed")
        try placed(group)
        // Anything else may happen in between.
        if chance(1, in: 3) { self.group = group } else { try write(group, isFailing: mayFail && chance(1, in: 20)) }
    }

    private func writes(of entry: Entry) throws -> [StoreWrite] {
        switch entry {
        case .submit(let submissions): submissions.map { .submit($0) }
        case .write(let write): [write]
        case .start(let key):
            if let call = calls[key] {
                [.advance(key.flight, try StoreWorkbench.start(call.flight.lifecycle), at: now.date)]
            } else {
                throw violation("the start of \(key), which is unknown")
            }
        case .settle(let key):
            if let recording = recordings[key] { [.settle(recording.end)] } else { throw violation("no end of \(key)") }
        case .release(let flights):
            try flights.map { .advance($0.id, try StoreWorkbench.release($0.lifecycle), at: now.date) }
        case .sweep: [.expire(at: now.date, limit: 4)]
        case .renew:
            [.renewOwner(owner, until: now.date.addingTimeInterval(60)), .expire(at: now.date, limit: 4)]
        case .claim, .reserve, .notice: []
        }
    }

    private mutating func placed(_ group: Group) throws {
        for submission in group.submissions {
            let provider = submission.provider
            guard submission.placement != .leave else { continue }
            guard isOpen, !isParked, !isDraining(provider), health[provider]?.openUntil == nil else {
                throw violation("a place for a submission to \(provider), which may not be called")
            }
            guard submission.flight.owner == owner,
                submission.flight.isExecuting == (submission.placement == .start && !submission.isBudgeted)
            else { throw violation("a flight placed as \(submission.flight)") }
            if submission.placement == .start { try spend(provider) }
        }
        log.append("placed \(group.submissions.map { "\($0.provider) \($0.placement)" })")
    }

    // MARK: Writing

    private mutating func write(_ group: Group, isFailing: Bool) throws {
        if isFailing { return try failed(group) }
        let commit = store.commit(group.writes)
        let stops = told(commit.changes, isForeign: false)
        let effects = after(core.committed(commit, of: group.writes))
        // A call that is not made now returns its permit.
        let limitedRuns = effects.count { if case .run(let flight) = $0 { isLimited(flight.provider) } else { false } }
        let placed = group.submissions.filter { $0.placement == .start && isLimited($0.provider) }
        permits += placed.count - limitedRuns
        try perform(effects, "committed \(group.entries.map(name))", stops: stops)
        for key in stops.keys where calls[key]?.reason == nil { throw violation("\(key) was not stopped") }
        try checkWaits()
        var receipts = commit.receipts[...]
        for (entry, count) in zip(group.entries, group.counts) {
            try answered(entry, Array(receipts.prefix(count)))
            receipts = receipts.dropFirst(count)
        }
    }

    private mutating func answered(_ entry: Entry, _ receipts: [WriteReceipt]) throws {
        switch entry {
        case .start(let key):
            tasks.append(receipts.first == .done ? .begin(key) : .startRefused(key))
        case .settle(let key):
            if receipts.first == .done {
                if recordings[key] != nil { throw violation("the end of \(key) was not told") }
            } else {
                tasks.append(.recordingOver(key))
            }
        case .release(let flights):
            for flight in flights { leases[flight.key] = nil }
            core.storeTasks.ended(needsNetwork: flights.contains { needsNetwork($0.provider) })
        case .sweep: try swept(isFailed: false)
        case .renew:
            if case .refused? = receipts.first { tasks.append(.registerAgain) }
            tasks.append(.renewed)
        case .submit, .write, .claim, .reserve, .notice: break
        }
    }

    private mutating func swept(isFailed: Bool) throws {
        isSweeping = false
        core.storeTasks.ended(needsNetwork: false)
        try perform(after(core.swept(isFailed: isFailed)), "swept")
    }

    private mutating func failed(_ group: Group) throws {
        for submission in group.submissions where submission.placement == .start {
            if isLimited(submission.provider) { permits += 1 }
        }
        try perform(
            after(core.commitFailed(group.writes, with: StoreWorkbench.busy)), "failed \(group.entries.map(name))")
        for entry in group.entries {
            switch entry {
            case .submit(let submissions):
                // Their callers get the error and stop waiting.
                for submission in submissions {
                    requests.removeAll { $0 == submission.request.id }
                    try forgetWaits(for: submission.request.id)
                }
            case .start(let key): tasks.append(.startFailed(key))
            case .settle(let key): tasks.append(.recordingFailed(key))
            case .release(let flights):
                core.unreturned += flights
                for flight in flights {
                    leases[flight.key] = nil
                    unreturned.insert(flight.key)
                }
                core.storeTasks.ended(needsNetwork: flights.contains { needsNetwork($0.provider) })
            case .sweep: try swept(isFailed: true)
            case .renew: tasks.append(.renewFailed)
            case .write(.retireOwner): journal.append(entry)
            case .write, .claim, .reserve, .notice: break
            }
        }
    }

    // MARK: Claims, permits, news

    private mutating func act(_ entry: Entry, isFailing: Bool) throws {
        switch entry {
        case .claim(let provider, let limit):
            defer { if isFailing { core.storeTasks.ended(needsNetwork: needsNetwork(provider)) } }
            if isFailing {
                isParked = isParked || isOpen
                return try perform(after(core.claimFailed(by: provider, with: StoreWorkbench.failure)), "claim failed")
            }
            let claim = store.claim(
                ClaimQuery(
                    owner: owner, provider: provider, scope: .everything, limit: limit, now: now.date,
                    roundOffset: core.roundOffset(of: provider)))
            let flights = claim.flights.map {
                QueuedFlight(
                    id: $0.id, lifecycle: $0.lifecycle, request: $0.request, provider: provider, origin: $0.origin,
                    cost: 1, triedSince: $0.triedSince)
            }
            let answer = TaskStep.claimed(provider, flights, nextDue: claim.nextDue, asked: limit)
            // If prompts are read first, the answer comes later.
            if chance(1, in: 3) { tasks.append(answer) } else { try run(answer) }
        case .reserve(let request):
            if isFailing {
                isParked = isParked || isOpen
                return try perform(
                    after(core.reserveFailed(of: request.account, with: StoreWorkbench.failure)), "reservation failed")
            }
            try grant(request)
        case .notice: try notice()
        case .submit, .write, .start, .settle, .release, .sweep, .renew: break
        }
    }

    /// Grants a random number of permits: the core knows nothing of the account's buckets.
    private mutating func grant(_ request: PermitRequest) throws {
        let granted = Int.random(in: 0...request.costs.count, using: &random)
        let next = granted < request.costs.count ? now.date.addingTimeInterval(0.5) : nil
        var grant = PermitGrant(costs: Array(request.costs.prefix(granted)), next: next)
        if chance(1, in: 8) { grant = PermitGrant(costs: request.costs, next: nil, isUnlimited: true) }
        let isFree = grant.isUnlimited && countsUntil <= now.date
        freeUntil = isFree ? now.date.addingTimeInterval(Account.permitLifetime) : .distantPast
        if !isFree { permits += grant.costs.count }
        try perform(
            after(core.granted(grant, of: request.account)),
            "granted \(grant.costs.count)\(grant.isUnlimited ? ", unlimited" : "")")
    }

    private mutating func notice() throws {
        isNoticing = false
        let rows = foreignRows.filter { core.isOfInterest($0) }
        let news = ForeignChanges(changes: try store.presentChanges(of: rows), mayWait: mayWait)
        foreignRows = []
        mayWait = false
        let stops = told(news.changes, isForeign: true)
        try perform(after(core.received(news)), "heard of \(rows.count) rows", stops: stops)
        for key in stops.keys where calls[key]?.reason == nil { throw violation("\(key) was not stopped") }
    }

    // MARK: News for the core

    /// Applies the changes that the core receives. Returns the attempts that must be stopped for them, with the
    /// reasons.
    private mutating func told(_ changes: [StoreChange], isForeign: Bool) -> [AttemptKey: StopReason] {
        givenBack = []
        runs = []
        var stops: [AttemptKey: StopReason] = [:]
        var run: [FlightID: (key: AttemptKey, owner: OwnerID?)] = [:]
        for change in changes {
            switch change {
            case .submitted(let submission, let receipt):
                guard !receipt.hasJoined, submission.placement != .leave else { continue }
                let key = AttemptKey(flight: receipt.flight, token: submission.flight.token)
                providers[key] = submission.provider
                if submission.flight.isExecuting, !givesBack(submission.provider) {
                    run[receipt.flight] = (key, submission.flight.owner)
                    runs.insert(key)
                } else {
                    leases[key] = .queued
                    if givesBack(submission.provider) { givenBack.insert(key) }
                }
            case .flight(let id, let lifecycle):
                if let run = run[id], isOver(run.key, lifecycle, of: run.owner) {
                    stops[run.key] = stops[run.key] ?? Self.reason(lifecycle)
                }
                told(id, lifecycle, isForeign: isForeign, &stops)
            case .settled(let settlement):
                let key = AttemptKey(flight: settlement.end.flight, token: settlement.end.lifecycle.token)
                recorded(key)
                finished += 1
                if case .failed(let error) = settlement.end.outcome, error.code == .unauthorized {
                    suspendedAccounts.insert(account(of: settlement.end.provider))
                    count("suspended")
                }
                // It may have arrived after its lease was broken, so a newer lease is useless then.
                for (other, place) in leases
                where other.flight == key.flight && place == .queued && settlement.flight.isSettled {
                    doubtful.insert(other)
                }
            case .account("shared", let date): pausedElsewhere(until: date)
            case .account, .request, .nextDeadline, .appended, .ownerRetired, .uncached: break
            }
        }
        return stops
    }

    /// Applies the store's pause of the shared account.
    private mutating func pausedElsewhere(until date: Date?) {
        guard let date else { return pausedUntil = .distantPast }
        guard date > now.date else { return }
        count("paused elsewhere")
        pausedUntil = max(pausedUntil, date)
        freeUntil = .distantPast
        countsUntil = now.date.addingTimeInterval(Account.permitLifetime)
    }

    private static func reason(_ lifecycle: FlightLifecycle) -> StopReason {
        lifecycle.state == .settled(.failed) ? .expired : .cancelled
    }

    private mutating func told(
        _ id: FlightID, _ lifecycle: FlightLifecycle, isForeign: Bool, _ stops: inout [AttemptKey: StopReason]
    ) {
        for (key, place) in leases where key.flight == id && place == .queued && !givenBack.contains(key) {
            if lifecycle.token >= key.token, lifecycle.owner == nil {
                leases[key] = nil
            } else if lifecycle.token > key.token {
                doubtful.insert(key)
            }
        }
        for (key, call) in calls where key.flight == id && call.holdsSlot {
            if lifecycle.token == key.token, lifecycle.isExecuting, lifecycle.owner == call.flight.lifecycle.owner {
                guard !isForeign, case .journalling = call.step, call.limit == nil else { continue }
                calls[key]?.lifecycle = lifecycle
                calls[key]?.limit = now.clock + (call.reason == nil ? Self.timeout : Self.grace)
            } else if lifecycle.token >= key.token, isOver(key, lifecycle, of: call.flight.lifecycle.owner),
                call.reason == nil, !call.isBeyondStops
            {
                stops[key] = stops[key] ?? Self.reason(lifecycle)
            }
        }
    }

    /// Marks an end as recorded or not needed.
    mutating func recorded(_ key: AttemptKey) {
        guard let recording = recordings.removeValue(forKey: key), recording.failures > 0 else { return }
        if !recordings.values.contains(where: { $0.failures > 0 }) { isParked = false }
    }

    private func name(_ entry: Entry) -> String {
        switch entry {
        case .submit(let submissions): "submissions \(submissions.map(\.provider))"
        case .write(let write): "\(write)".prefix { $0 != "(" } + ""
        case .start(let key): "start \(key.name)"
        case .settle(let key): "end \(key.name)"
        case .release(let flights): "release \(flights.map(\.key.name))"
        case .claim, .reserve, .notice, .sweep, .renew: "\(entry)"
        }
    }
}

extension AttemptKey {
    var name: String { "\(flight.rawValue).\(token)" }
}
