import Foundation
import OrderedCollections

/// The core's part in the journal's commits: it changes writes before a commit, and reacts to the changes after the
/// commit.
extension EngineCore {
    // MARK: Before a commit

    /// Reserves slots for submissions that are about to be written, if this process can start or lease their flights at
    /// once.
    ///
    /// These flights then need not be claimed later. If a provider's queue (its *lane*) is idle, the start of the first
    /// attempt is written in the commit of its submission. After the commit, call ``committed(_:of:)`` or
    /// ``commitFailed(_:with:)`` once with the same writes.
    package mutating func place(_ writes: inout [StoreWrite]) {
        guard case .open = phase, let owner else { return }
        for index in writes.indices {
            guard case .submit(var submission) = writes[index],
                configuration.scope.covers(submission.request.id, of: submission.job?.key)
            else { continue }
            let placement = place(submission)
            guard placement != .leave else { continue }
            submission.placement = placement
            submission.flight = FlightLifecycle(placed: submission, by: owner)
            writes[index] = .submit(submission)
        }
    }

    private mutating func place(_ submission: Submission) -> Placement {
        guard let index = lanes.index(forKey: submission.provider), !isLaneSuspended(at: index) else { return .leave }
        guard lanes.values[index].backlog == .none, lanes.values[index].breaker.isClosed else {
            // Older work may wait in the store, and nothing overtakes it within its class. If this process cannot send
            // now, another one may.
            lanes.values[index].backlogMayExist()
            return .leave
        }
        if lanes.values[index].isIdle,
            accounts[lanes.values[index].account]?.admit(cost: submission.cost, now: now.date) == .admitted
        {
            _ = lanes.values[index].gate.enter()
            placed += 1
            return .start
        }
        guard lanes.values[index].room(now: now.date) > 0 else {
            lanes.values[index].backlogMayExist()
            return .leave
        }
        lanes.values[index].promised += 1
        placed += 1
        return .lease
    }

    // MARK: After a commit

    /// Applies the changes of a commit of this process. If a submission got no new flight, also frees the slot that was
    /// reserved for it.
    package mutating func committed(_ commit: StoreCommit, of writes: [StoreWrite]) {
        effects.reserveCapacity(commit.changes.count)
        for change in commit.changes { apply(change, isForeign: false) }
        guard isFollowed || placed > 0 else { return }
        for (write, receipt) in zip(writes, commit.receipts) {
            answered(write, receipt)
            // The submission was refused, was already stored, joined another flight, or was answered from the cache.
            if !receipt.isNewFlight, case .submit(let submission) = write { releaseSlot(of: submission) }
        }
    }

    /// Handles a failed commit of this process. None of its writes is on disk, except possibly after
    /// ``AIServiceError/Code/storageUncertain``.
    package mutating func commitFailed(_ writes: [StoreWrite], with error: any Error) {
        for case .submit(let submission) in writes { releaseSlot(of: submission) }
        guard error.isUncertain, writes.contains(where: \.mayLease) else { return }
        isUncertain = true
        storeFailed(with: error)
    }

    /// Applies the changes that other processes committed.
    package mutating func received(_ news: ForeignChanges) {
        if news.touchesAnswers { effects.append(.answers(.doubtful)) }
        for change in news.changes { apply(change, isForeign: true) }
        if news.mayWait { backlogMayExist() }
    }

    /// Reports the result of a write that changed no row to the receivers of events.
    private mutating func answered(_ write: StoreWrite, _ receipt: WriteReceipt) {
        switch (write, receipt) {
        case (.submit(let submission), .submitted(let stored)) where stored.wasPresent:
            emit(.submitted(stored.id, to: submission.provider, stored))
        case (.submit(let submission), .rejected(let error)):
            emit(.rejected(submission.request.id, to: submission.provider, error))
        case (.retireOwner(let owner, _), .broken(let flights)) where flights > 0:
            emit(.recovered(owner, flights: flights))
        default: break
        }
    }

    private mutating func apply(_ change: StoreChange, isForeign: Bool) {
        switch change {
        case .submitted(let submission, let receipt): submitted(submission, receipt)
        case .request(let id, let flight, let change): changed(id, of: flight, change, isForeign: isForeign)
        case .flight(let id, let lifecycle): moved(id, lifecycle, isForeign: isForeign)
        case .settled(let settlement): settled(settlement)
        case .appended(let flight):
            // An attempt of this process wakes its readers itself, once they can read the new chunks.
            guard readers > 0, slots[flight] == nil else { return }
            effects.append(.wakeReadersOfFlight(flight))
        case .account(let account, let date): paused(account, until: date)
        case .ownerRetired: break  // the owner's flights and requests follow
        case .uncached: effects.append(.answers(.dropped))
        case .nextDeadline(let date):
            nextExpiry = date
            sweepIfDue()
        }
    }

    // MARK: Submissions

    private mutating func submitted(_ submission: Submission, _ receipt: SubmissionReceipt) {
        let request = submission.request
        watched.attach(request.id, to: receipt.flight)
        emit(.submitted(request.id, to: submission.provider, receipt))
        if receipt.isAnswered { return }
        if let deadline = request.deadline { nextExpiry = min(nextExpiry ?? deadline, deadline) }
        if receipt.hasJoined {
            return joined(
                receipt.flight, of: [submission.provider] + request.fallback.map(\.provider),
                priority: request.priority)
        }
        guard let index = lanes.index(forKey: submission.provider) else { return }
        guard submission.placement != .leave else {
            // Marked again now that the submission is on disk: since its placement, an earlier claim may have found the
            // backlog empty.
            lanes.values[index].backlogMayExist()
            return touch(index)
        }
        let flight = QueuedFlight(submission, as: receipt.flight)
        if submission.flight.isExecuting, !givesBack(submission.provider) {
            placed -= 1
            begin(flight, in: index, isJournalled: true)
            effects.append(.run(flight))
            return started(flight)
        }
        // Not sent yet: the flight is queued like any other, because the lane may not start it any more.
        releaseSlot(of: submission)
        enqueue(flight)
    }

    /// Frees the slot that was reserved for a submission, if there is one. This is necessary if the store did not write
    /// the submission's flight as planned, or if the flight can no longer use the slot.
    private mutating func releaseSlot(of submission: Submission) {
        guard let index = lanes.index(forKey: submission.provider) else { return }
        switch submission.placement {
        case .leave: return
        case .lease: lanes.values[index].promised -= 1
        case .start:
            lanes.values[index].gate.leave()
            accounts[lanes.values[index].account]?.returned(cost: submission.cost)
        }
        placed -= 1
        touch(index)
    }

    /// Handles a request that joined a flight. If the flight is queued in this process, it may become more urgent. If
    /// this process does not hold the flight, the flight may be waiting in the store. The lanes of the flight's
    /// providers then claim flights.
    ///
    /// - Parameter chain: The flight's first provider and its fallbacks.
    private mutating func joined(_ flight: FlightID, of chain: [ProviderID], priority: Priority) {
        if slots[flight] != nil || deferred[flight] != nil { return }
        for provider in chain {
            guard let index = lanes.index(forKey: provider) else { continue }
            if lanes.values[index].queue.raise(to: priority, where: { $0.id == flight }) { return touch(index) }
        }
        for provider in chain {
            guard let index = lanes.index(forKey: provider) else { continue }
            lanes.values[index].backlogMayExist()
            touch(index)
        }
    }

    // MARK: Flights

    /// Applies a new state of a flight that this process may execute, hold or watch.
    ///
    /// If this process has an attempt of the flight, there are two cases: the attempt's start is on disk, or the
    /// attempt's lease has ended. In the second case, the attempt is stopped.
    private mutating func moved(_ id: FlightID, _ lifecycle: FlightLifecycle, isForeign: Bool) {
        if let attempt = attempt(at: id) {
            let isOwn = attempt.flight.lifecycle.token == lifecycle.token
            if isOwn, lifecycle.isExecuting, lifecycle.owner == attempt.flight.lifecycle.owner {
                guard !isForeign else { return }
                if journalled(attempt.key) { return started(attempt.flight) }
                // A member that was retried follows the attempt.
                return watched.announce(.executing(progress: nil), of: id)
            }
            // The lease is not on disk any more, or a newer one followed: the attempt's result is not wanted.
            if lifecycle.token >= attempt.flight.lifecycle.token, !(isOwn && lifecycle.isLeased) {
                let isExpired = lifecycle.state == .settled(.failed)
                stop(attempt.key, because: isExpired ? .expired : .cancelled)
            }
        }
        if isForeign { emit(.moved(id, lifecycle)) }
        if let again = deferred[id], !again.isLeased(in: lifecycle) { deferred[id] = nil }
        if !lifecycle.isLeased, !lifecycle.isExecuting { unqueue(id, unlessNewerThan: lifecycle.token) }
        mayBeClaimed(lifecycle, in: nil)
        guard !lifecycle.isSettled else { return }
        watched.announce(lifecycle.isExecuting ? .executing(progress: nil) : .pending, of: id)
    }

    /// Records that a flight waits in the store, or will wait there after its backoff. If the flight backs off and its
    /// lane is known, only this lane is changed.
    private mutating func mayBeClaimed(_ lifecycle: FlightLifecycle, in provider: ProviderID?) {
        switch lifecycle.state {
        case .waiting: backlogMayExist()
        case .backingOff(let until):
            for index in lanes.values.indices where provider.map({ $0 == lanes.values[index].provider }) ?? true {
                lanes.values[index].willBeDue(at: until)
                touch(index)
            }
        case .held, .leased, .executing, .settled: break
        }
    }

    /// Removes a flight from the queues of this process, because this process no longer holds it.
    private mutating func unqueue(_ id: FlightID, unlessNewerThan token: Int64) {
        for index in lanes.values.indices where !lanes.values[index].queue.isEmpty {
            while lanes.values[index].queue.remove(where: { $0.id == id && $0.lifecycle.token <= token }) != nil {
                touch(index)
            }
        }
    }

    private mutating func started(_ flight: QueuedFlight) {
        watched.announce(.executing(progress: nil), of: flight.id)
        emit(
            .started(
                flight.request.id, flight.id, provider: flight.provider,
                attempt: flight.lifecycle.attempt + (flight.lifecycle.isExecuting ? 0 : 1)))
    }

    // MARK: Ends

    /// Applies the recorded end of an attempt.
    private mutating func settled(_ settlement: Settlement) {
        let end = settlement.end
        if case .completed = end.outcome {
            effects.append(.answers(.recorded(end.work, isCached: settlement.entersCache)))
        }
        for id in settlement.finished { announce(settlement.status(of: id), of: id) }
        emit(EngineEvent(settlement))
        if case .failed(let error) = end.outcome { refused(by: end.provider, with: error) }
        if !settlement.flight.isSettled {
            watched.announce(.pending, of: end.flight)
            if readers > 0 { effects.append(.wakeReadersOfFlight(end.flight)) }
        }
        mayBeClaimed(settlement.flight, in: end.provider)
        recorded(AttemptKey(flight: end.flight, token: end.lifecycle.token))
    }

    private mutating func changed(_ id: UUID, of flight: FlightID, _ change: RequestChange, isForeign: Bool) {
        switch change {
        case .pending, .executing:
            watched.attach(id, to: flight)
            if change == .pending { announce(.pending, of: id) }
            guard change == .pending, !isForeign else { return }
            effects.append(.revive(.request(id)))
            emit(.revived(id))
        case .completed, .failed(nil): look(at: id)
        case .failed(let error?):
            announce(.failed(error), of: id)
            if !isForeign { emit(.failed(id, of: flight, error)) }
        case .cancelled:
            announce(.cancelled, of: id)
            if !isForeign { emit(.cancelled(id)) }
        case .erased where isForeign: fail(id, with: AIServiceError.unknown(id))
        case .erased: announce(.cancelled, of: id)
        }
    }
}

extension WriteReceipt {
    /// Whether the receipt belongs to a submission with a new flight.
    fileprivate var isNewFlight: Bool {
        if case .submitted(let receipt) = self { receipt.isNewFlight } else { false }
    }
}

extension FlightLifecycle {
    fileprivate var isLeased: Bool { if case .leased = state { true } else { false } }

    /// Creates the flight of a submission according to its placement.
    init(placed submission: Submission, by owner: OwnerID) {
        self.init()
        do throws(Refusal) {
            try leased(by: owner)
            // A submission under a budget starts with its reservation, in a commit of its own.
            if submission.placement == .start, !submission.isBudgeted { try attemptStarted(token: token) }
        } catch {
            self = FlightLifecycle()  // unreachable: a new flight can be leased and started
        }
    }
}

extension QueuedFlight {
    fileprivate init(_ submission: Submission, as id: FlightID) {
        self.init(
            id: id, lifecycle: submission.flight, request: submission.request, provider: submission.provider,
            cost: submission.cost, triedSince: submission.flight.isExecuting ? submission.createdAt : nil,
            work: submission.fingerprint, trace: submission.trace, waitsSince: submission.createdAt)
    }

    /// Returns whether the flight on disk still has this lease.
    fileprivate func isLeased(in lifecycle: FlightLifecycle) -> Bool {
        self.lifecycle.token > lifecycle.token || self.lifecycle.token == lifecycle.token && lifecycle.owner != nil
    }
}

extension StoreWrite {
    /// Whether the write may give a lease to this process or end one of its leases.
    fileprivate var mayLease: Bool {
        switch self {
        case .submit(let submission): submission.flight.owner != nil
        case .advance, .start: true
        default: false
        }
    }
}
