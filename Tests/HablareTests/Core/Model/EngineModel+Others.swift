import Foundation
import HablareStores
import HablareTestKit

@testable import Hablare

/// The callers of this process, and the other process.
extension EngineModel {
    // MARK: Callers

    mutating func submit() throws {
        let submissions = try (0..<Int.random(in: 1...3, using: &random)).map { _ in try newSubmission() }
        for submission in submissions where chance(1, in: 2) {
            // Waits before the request can possibly end.
            let waiter = Waiter<RequestStatus>()
            try wait(waiter, for: submission.request.id)
        }
        journal.append(.submit(submissions))
    }

    private mutating func newSubmission(isForeign: Bool = false) throws -> Submission {
        submitted += 1
        let id = StoreWorkbench.id(submitted)
        requests.append(id)
        let provider = anyProvider()
        // Some requests do the same work as others and share a flight.
        let prompt = chance(1, in: 4) ? "shared \(Int.random(in: 0..<3, using: &random))" : "prompt \(submitted)"
        // The deadlines of other processes' requests are known here only after the next renewal.
        let deadline =
            !isForeign && chance(1, in: 10)
            ? now.date.addingTimeInterval(Double.random(in: 0.5...9, using: &random)) : nil
        var submission = try StoreWorkbench.submission(
            of: AIRequest(
                id: id, prompt: .text(prompt), priority: any(Priority.allCases) ?? .normal, deadline: deadline,
                fallback: lanes.map { FallbackTarget($0.provider) }.filter { $0.provider != provider }),
            provider: provider, at: now.date)
        submission.cost = 1
        submission.isBudgeted = chance(1, in: 10)
        return submission
    }

    /// Lets a caller cancel, retry or delete a request.
    mutating func changeSomething() {
        guard let write = anyChange() else { return }
        journal.append(.write(write))
    }

    private mutating func anyChange() -> StoreWrite? {
        guard let id = any(requests) else { return nil }
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<6: return .cancel(id, at: now.date)
        case 6..<9:
            // The deadline of a retried request is known here only after the next renewal.
            return store.request(of: id)?.request.deadline == nil ? .retry(id, at: now.date) : nil
        default: return .delete(id, at: now.date)
        }
    }

    /// Lets a caller start or stop waiting for a request or reading its output.
    mutating func watch() throws {
        switch Int.random(in: 0..<6, using: &random) {
        case 0..<3:
            guard let id = any(requests), let snapshot = store.snapshot(of: id) else { return }
            let waiter = Waiter<RequestStatus>()
            try wait(waiter, for: id)
            // The store's answer counts: it was read after the wait had begun.
            if snapshot.phase.isFinal { return try forget(waiter, of: id) }
            if let flight = snapshot.flight { core.attach(id, to: flight) }
        case 3:
            guard let (id, waiter) = any(waiting) else { return }
            try forget(waiter, of: id)
        case 4:
            core.readers += 1
            try perform(core.takeEffects(), "reader came")
        default:
            guard core.readers > 0 else { return }
            core.readers -= 1
            try perform(core.takeEffects(), "reader left")
        }
    }

    private mutating func wait(_ waiter: Waiter<RequestStatus>, for id: UUID) throws {
        guard core.wait(waiter, for: id) else { throw violation("nothing is announced") }
        waiters[ObjectIdentifier(waiter)] = id
        waiting.append((id, waiter))
        try perform(core.takeEffects(), "wait for \(id)")
    }

    private mutating func forget(_ waiter: Waiter<RequestStatus>, of id: UUID) throws {
        waiters[ObjectIdentifier(waiter)] = nil
        waiting.removeAll { $0.waiter === waiter }
        try perform(after(core.watched.forget(waiter, of: id)), "forget \(id)")
    }

    mutating func forgetWaits(for id: UUID) throws {
        for (_, waiter) in waiting.filter({ $0.id == id }) { try forget(waiter, of: id) }
    }

    /// Ends the waits with a result.
    mutating func end(_ watched: WatchedRequests.Watched, _ result: Result<RequestStatus, any Error>) throws {
        for waiter in watched.waiters {
            guard waiters.removeValue(forKey: ObjectIdentifier(waiter)) != nil else {
                throw violation("someone is told twice")
            }
            waiting.removeAll { $0.waiter === waiter }
        }
        if case .success(let status) = result, !status.isFinal { throw violation("an outcome is \(status)") }
    }

    /// Checks that no caller waits for a request whose outcome this process has received.
    func checkWaits() throws {
        guard foreignRows.isEmpty, !isNoticing else { return }
        let looked = Set(
            tasks.compactMap { step -> UUID? in
                switch step {
                case .look(let look): look.id
                case .found(let look, _): look.id
                default: nil
                }
            })
        for id in Set(waiters.values) where phase(of: id)?.isFinal == true && !looked.contains(id) {
            throw violation("someone waits for \(id), which is final")
        }
    }

    // MARK: The other process

    /// Lets the other process commit something. This one receives it later.
    mutating func otherActs() throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<5: try foreign([.submit(newSubmission(isForeign: true))])
        case 5..<9: claimElsewhere()
        case 9..<14: try actOnLease()
        case 14..<17:
            guard let write = anyChange() else { return }
            try foreign([write])
        case 17, 18:
            // The other process takes this one for dead.
            try foreign([.retireOwner(owner, at: now.date)])
        case 19: try foreign([.report(anyPause(), at: now.date)])
        default: break
        }
        if !isNoticing, !foreignRows.isEmpty || mayWait, chance(2, in: 3) {
            isNoticing = true
            journal.append(.notice)
        }
    }

    /// Returns a pause that the other process reports, or the end of one that a caller lifts.
    private mutating func anyPause() -> AccountReport {
        let account = any(["shared", "a"] as [AccountID]) ?? "shared"
        if chance(1, in: 3) { return AccountReport(account: account, liftsPause: true) }
        return AccountReport(
            account: account,
            pausedUntil: now.date.addingTimeInterval(Double.random(in: 0...2, using: &random)))
    }

    private mutating func claimElsewhere() {
        let claim = store.claim(
            ClaimQuery(
                owner: other, provider: anyProvider(), scope: .everything,
                limit: Int.random(in: 1...2, using: &random), now: now.date))
        otherLeases += claim.flights
        note(claim.flights.map { .flight($0.id, $0.lifecycle) })
    }

    /// Lets the other process start a flight, end its attempt, or release it.
    private mutating func actOnLease() throws {
        guard let index = otherLeases.indices.randomElement(using: &random) else { return }
        let lease = otherLeases[index]
        guard let lifecycle = lifecycle(of: lease.id), lifecycle == lease.lifecycle else {
            otherLeases.remove(at: index)
            return
        }
        if lifecycle.isExecuting {
            otherLeases.remove(at: index)
            return try foreign([.settle(end(of: lease))])
        }
        if chance(1, in: 4) {
            otherLeases.remove(at: index)
            return try foreign([.advance(lease.id, try StoreWorkbench.release(lifecycle), at: now.date)])
        }
        let start = try StoreWorkbench.start(lifecycle)
        otherLeases[index].lifecycle = start.new
        try foreign([.advance(lease.id, start, at: now.date)])
    }

    private mutating func end(of lease: ClaimedFlight) -> AttemptEnd {
        let outcome: AttemptEnd.Outcome
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
            outcome = .completed(
                AIResponseData(
                    requestID: lease.request.id, providerID: "a", result: .success(.text("answer")),
                    receivedAt: now.date))
        case 2: outcome = .failed(StoreWorkbench.failure)
        case 3: outcome = .interrupted
        case 4:
            let next = any(lanes) ?? lanes[0]
            outcome = .diverted(StoreWorkbench.failure, to: FallbackTarget(next.provider), account: next.account)
        default:
            outcome = .postponed(
                StoreWorkbench.overloaded, until: now.date.addingTimeInterval(Double.random(in: 0...5, using: &random)))
        }
        return AttemptEnd(
            flight: lease.id, request: lease.request.id, provider: "a", lifecycle: lease.lifecycle, outcome: outcome,
            billing: .neverSent, startedAt: now.date, endedAt: now.date)
    }

    /// Ends the other process, so all of its flights wait again.
    mutating func finishOther() {
        otherLeases = []
        note(store.commit([.retireOwner(other, at: now.date)]).changes)
        if !isNoticing { journal.append(.notice) }
        isNoticing = true
    }

    private mutating func foreign(_ writes: [StoreWrite]) throws {
        let commit = store.commit(writes)
        log.append("elsewhere \(writes.map { "\($0)".prefix { $0 != "(" } })")
        note(commit.changes)
    }

    private mutating func note(_ changes: [StoreChange]) {
        let record = ChangeRecord(of: changes)
        foreignRows += record.rows
        mayWait = mayWait || record.mayWait
    }
}
