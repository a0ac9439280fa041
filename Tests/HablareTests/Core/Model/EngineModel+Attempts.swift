import Foundation
import HablareStores
import HablareTestKit

@testable import Hablare

/// The tasks of attempts and their providers.
extension EngineModel {
    /// The next step of a task, taken when it has its turn.
    enum TaskStep {
        /// The task of an attempt begins and submits its start to the journal.
        case prepare(AttemptKey)
        /// The task of an attempt learns that its start is on disk.
        case begin(AttemptKey)
        case startRefused(AttemptKey)
        case startFailed(AttemptKey)
        case recordingOver(AttemptKey)
        case recordingFailed(AttemptKey)
        case claimed(ProviderID, [QueuedFlight], nextDue: Date?, asked: Int)
        case look(WatchedRequests.Look)
        case found(WatchedRequests.Look, RequestStatus?)
        case renewed
        case renewFailed
        case registerAgain
    }

    mutating func runTask() throws {
        guard !tasks.isEmpty else { return }
        try run(tasks.remove(at: Int.random(in: tasks.indices, using: &random)))
    }

    mutating func run(_ step: TaskStep) throws {
        switch step {
        case .prepare(let key):
            guard let flight = calls[key]?.flight else { throw violation("no attempt \(key.name)") }
            if let deadline = flight.request.deadline, deadline <= now.date {
                try startRefused(key)
                leases[key] = .queued
                return try perform([.release([flight])], "too late to start \(key.name)")
            }
            journal.append(.start(key))
        case .begin(let key):
            guard calls[key] != nil else { throw violation("no attempt \(key.name)") }
            // A task that was cancelled meanwhile calls no provider. If a stand-in end is recorded for it, it waits for
            // that first.
            guard calls[key]?.reason != nil, recordings[key] == nil else {
                calls[key]?.step = .working
                return
            }
            try end(key, with: .unsent(.attemptCancelled))
        case .startRefused(let key): try startRefused(key)
        case .startFailed(let key): try startFailed(key)
        case .recordingOver(let key):
            recorded(key)
            try perform(after(core.recorded(key)), "end of \(key.name) not needed")
        case .recordingFailed(let key):
            recordings[key]?.failures += 1
            recordings[key]?.waits = true
            isParked = isParked || isOpen
            try perform(
                after(core.recordingFailed(key, with: StoreWorkbench.failure)), "end of \(key.name) not recorded")
            let recording = core.recording(of: key)
            guard recording?.isSuspended == true, recording?.failures == recordings[key]?.failures else {
                throw violation("the end of \(key.name) is not kept")
            }
        case .claimed(let provider, let flights, let nextDue, let asked):
            for flight in flights {
                // Of two leases of one flight the older one is over.
                for (key, place) in leases where key.flight == flight.id && place == .queued {
                    doubtful.insert(min(key, flight.key))
                }
                leases[flight.key] = .queued
                providers[flight.key] = provider
                if calls.contains(where: { $0.key.flight == flight.id && $0.value.holdsSlot }) { count("overlapping") }
            }
            core.storeTasks.ended(needsNetwork: needsNetwork(provider))
            try perform(
                after(core.claimed(flights, nextDue: nextDue, by: provider, asked: asked)),
                "claimed \(flights.map(\.key.name)) of \(provider)")
        case .look(let look):
            guard core.watched.watcherCount(of: look.id) > 0 else { return }
            tasks.append(.found(look, status(of: look.id)))
        case .found(let look, let status):
            let result: Result<RequestStatus, any Error> =
                status.map { .success($0) } ?? .failure(AIServiceError.unknown(look.id))
            try perform(
                after(core.found(result, by: look)), "found \(look.id): \(status.map { "\($0.phase)" } ?? "nothing")")
        case .renewed: try renewed()
        case .renewFailed:
            isParked = isParked || isOpen
            try perform(after(core.storeFailed(with: StoreWorkbench.failure)), "renewal failed")
        case .registerAgain:
            // Another process took this one for dead.
            count("registered anew")
            guard isOpen else { return }
            try close()
            core.retired()
            unreturned = []
            // Leases taken since under the old name are released by processes that look for vanished owners.
            journal.append(.write(.retireOwner(owner, at: now.date)))
            owner = Self.register(in: store, 1)
            try open()
        }
    }

    private func status(of id: UUID) -> RequestStatus? {
        guard let snapshot = store.snapshot(of: id) else { return nil }
        switch snapshot.phase {
        case .pending: return .pending
        case .executing: return .executing(progress: nil)
        case .completed: return store.response(of: id).map { .completed($0) }
        case .failed: return .failed(snapshot.error ?? StoreWorkbench.failure)
        case .cancelled: return .cancelled
        }
    }

    /// Reports that the lease of the process was renewed, so the store can be written.
    private mutating func renewed() throws {
        let waiting = recordings.filter(\.value.waits).keys.sorted()
        for key in waiting { recordings[key]?.waits = false }
        if !recordings.values.contains(where: { $0.failures > 0 }) { isParked = false }
        for key in unreturned { leases[key] = .queued }
        unreturned = []
        let effects = after(core.storeRecovered())
        let resumed = effects.flatMap { effect in
            if case .resumeRecording(let keys) = effect { keys } else { [AttemptKey]() }
        }
        guard resumed == waiting else { throw violation("ends \(resumed) are recorded, of \(waiting)") }
        try perform(effects, "store recovered")
        try fireTimer()
    }

    private mutating func startRefused(_ key: AttemptKey) throws {
        guard let call = calls.removeValue(forKey: key) else { throw violation("no attempt \(key.name)") }
        count("refused")
        leases[key] = nil
        if isLimited(call.flight.provider) { permits += 1 }
        health[call.flight.provider]?.ended(key, .unknown, now: now.date)
        try perform(after(core.startRefused(key)), "start of \(key.name) refused")
    }

    private mutating func startFailed(_ key: AttemptKey) throws {
        guard let call = calls.removeValue(forKey: key) else { throw violation("no attempt \(key.name)") }
        count("start failed")
        let isFollowed = leases.contains {
            $0.key.flight == key.flight && $0.key.token > key.token && $0.value == .queued
        }
        let isOver = call.reason == .cancelled || call.reason == .expired
        leases[key] = isOver ? nil : .queued
        if isFollowed { doubtful.insert(key) }
        isParked = isParked || isOpen
        if isLimited(call.flight.provider) { permits += 1 }
        health[call.flight.provider]?.ended(key, .unknown, now: now.date)
        try perform(
            after(core.startFailed(key, with: StoreWorkbench.failure)), "start of \(key.name) failed")
    }

    // MARK: Providers

    /// Lets a provider report progress, return, or have its output journalled.
    ///
    /// - Parameter isDeaf: Whether providers may ignore a stop.
    mutating func providerActs(isDeaf: Bool = true) throws {
        let keys = calls.keys.sorted().filter { key in
            // The task of an abandoned attempt waits until its stand-in end is recorded.
            guard recordings[key] == nil else { return false }
            switch calls[key]?.step {
            case .working, .journallingOutput: return true
            case .journalling, .back, nil: return false
            }
        }
        guard let key = any(keys), let call = calls[key] else { return }
        if isDeaf, call.reason != nil, chance(2, in: 3) { return }
        switch call.step {
        case .journallingOutput(let reply): try end(key, with: reply)
        case .working where chance(1, in: 8):
            core.progressed(key, to: 0.5)
        case .working where chance(1, in: 3):
            let reply = anyReply(of: call.flight.provider)
            calls[key]?.step = .journallingOutput(reply)
            if call.reason == nil, !call.isAbandoned {
                let own = ownReason(reply, call.flight.provider)
                calls[key]?.own = own
                calls[key]?.limit = nil
                learn(from: reply, of: key, call.flight.provider, stopped: own)
            }
            try perform(after(core.returned(key, with: reply)), "\(key.name) came back")
        default: try end(key, with: anyReply(of: call.flight.provider))
        }
    }

    private mutating func anyReply(of provider: ProviderID) -> Reply {
        var reply: Reply
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<50: reply = .sound
        case 50..<78: reply = .failing
        case 78..<84 where isLimited(provider):
            reply = .paused(.milliseconds(Int.random(in: 0...2_000, using: &random)))
        case 84..<87: reply = Reply(result: .failure(AIServiceError(.unauthorized, "The key is wrong.")))
        case 87..<94: reply = Reply(result: .failure(StoreWorkbench.lostTouch))
        default: reply = Reply(result: .failure(StoreWorkbench.failure))
        }
        if isLimited(provider), chance(1, in: 10) {
            reply.limits = Box(ReportedLimits(requests: ReportedLimits.Quota(perMinute: 600)))
        }
        return reply
    }

    /// Returns the reason for a failure that nothing stopped and that is not the provider's fault.
    private func ownReason(_ reply: Reply, _ provider: ProviderID) -> StopReason? {
        reply.error?.category == .network && isOffline(provider) ? .offline : nil
    }

    private mutating func end(_ key: AttemptKey, with reply: Reply) throws {
        guard let call = calls[key] else { throw violation("no attempt \(key.name)") }
        let isKnown = if case .journallingOutput = call.step { call.reason == nil } else { false }
        let own = isKnown ? call.own : ownReason(reply, call.flight.provider)
        let expected = call.reason ?? own
        calls[key]?.step = .back
        calls[key]?.limit = nil
        leases[key] = nil
        if !isKnown, !call.isAbandoned { learn(from: reply, of: key, call.flight.provider, stopped: expected) }
        let reason = core.ended(key, with: reply)
        let effects = core.takeEffects()
        guard reason == expected else {
            throw violation("\(key.name) ended as \(String(describing: reason)), not \(String(describing: expected))")
        }
        record(call, reply, expected, isStandIn: false)
        try perform(effects, "\(key.name) ended: \(reply.error.map { "\($0.code)" } ?? "answer")")
        calls[key] = nil
    }

    /// Updates provider and account by the end of a call.
    mutating func learn(from reply: Reply, of key: AttemptKey, _ provider: ProviderID, stopped: StopReason?) {
        let says: Breaker.Health =
            switch (reply.result, stopped) {
            case (.success, _): .sound
            case (.failure, .timedOut): .failing
            case (.failure, .some): .unknown
            case (.failure(let error), nil):
                if !reply.wasSent || error.code == .rateLimited {
                    .unknown
                } else {
                    error == StoreWorkbench.failure || error.code == .unauthorized ? .sound : .failing
                }
            }
        health[provider]?.ended(key, says, now: now.date)
        guard isLimited(provider) else { return }
        if let wait = reply.error?.retryAfter, stopped == nil {
            pausedUntil = max(pausedUntil, now.date.addingTimeInterval(wait / .seconds(1)))
            freeUntil = .distantPast
            countsUntil = now.date.addingTimeInterval(Account.permitLifetime)
        }
        if reply.limits != nil {
            freeUntil = .distantPast
            countsUntil = now.date.addingTimeInterval(Account.permitLifetime)
        }
    }

    // MARK: Recording

    /// Submits the end of an attempt to the journal.
    mutating func record(_ call: Call, _ reply: Reply, _ reason: StopReason?, isStandIn: Bool) {
        let key = call.flight.key
        let end = AttemptEnd(
            flight: key.flight, request: call.flight.request.id, provider: call.flight.provider,
            lifecycle: call.lifecycle, outcome: outcome(of: call, reply, reason), billing: .neverSent,
            startedAt: now.date, endedAt: now.date)
        recordings[key] = Recording(end: end, isStandIn: isStandIn)
        journal.append(.settle(key))
    }

    private mutating func outcome(of call: Call, _ reply: Reply, _ reason: StopReason?) -> AttemptEnd.Outcome {
        switch (reply.result, reason) {
        case (.success(let answer), _):
            return .completed(
                AIResponseData(
                    requestID: call.flight.request.id, providerID: call.flight.provider,
                    result: .success(answer.content), receivedAt: now.date))
        case (.failure, .expired): return .expired
        case (.failure, .interrupted), (.failure, .offline): return .interrupted
        case (.failure(let error), .cancelled): return .failed(error)
        case (.failure(let error), nil) where error.code == .unauthorized: return .failed(error)
        case (.failure(let error), .timedOut), (.failure(let error), nil):
            if chance(1, in: 6), let next = any(lanes.filter { $0.provider != call.flight.provider }) {
                return .diverted(error, to: FallbackTarget(next.provider), account: next.account)
            }
            if chance(3, in: 5) {
                return .postponed(error, until: now.date.addingTimeInterval(Double.random(in: 0...5, using: &random)))
            }
            return .failed(error)
        }
    }
}
