import Foundation
package import Hablare

/// Decides how each write changes the rows of a store. This state machine contains the rules for sharing a flight among
/// requests, for backoff, retention and caching, and for the ledger. No other code contains these rules.
///
/// The machine has no state of its own except the rows, which belong to the store's transaction. It uses no SQL, no
/// file and no clock. Other types decide how a single row changes: a flight (``FlightLifecycle``), a request
/// (``RequestLifecycle``), the end of an attempt (``AttemptEnding``), an account (``AccountBudget``), or a budget
/// (``BudgetAccount``). This machine decides how other rows change as a consequence.
///
/// A store may use statements of its own for the most frequent writes, such as a compare-and-set. These statements must
/// have the same effect as this machine. A differential test compares them.
package struct StoreMachine<Rows: StoreRows> {
    /// The rows of the store, including the writes of this commit so far.
    package var rows: Rows
    /// The changes that the commit has made so far.
    package var changes: [StoreChange] = []
    /// Whether the current write removed a response, or an answer from the cache.
    var dropsAnswers = false

    package init(_ rows: Rows) {
        self.rows = rows
    }

    /// Applies the writes of a commit in order. A refused write changes no row, and makes no ``StoreChange``.
    ///
    /// - Throws: The error that the rows throw. After an error, the store must undo all writes of the commit.
    package mutating func commit(_ writes: [StoreWrite]) throws(Rows.Failure) -> StoreCommit {
        changes = []
        var receipts: [WriteReceipt] = []
        receipts.reserveCapacity(writes.count)
        for write in writes { receipts.append(try apply(write)) }
        return StoreCommit(receipts: receipts, changes: changes)
    }

    /// Applies one write and returns its receipt. Adds its changes to ``changes``.
    package mutating func apply(_ write: StoreWrite) throws(Rows.Failure) -> WriteReceipt {
        dropsAnswers = false
        let receipt = try perform(write)
        if dropsAnswers { changes.append(.uncached) }
        return receipt
    }

    private mutating func perform(_ write: StoreWrite) throws(Rows.Failure) -> WriteReceipt {
        switch write {
        case .registerOwner(let registration): .owner(try rows.register(registration))
        case .renewOwner(let owner, let until): try rows.renew(owner, until: until) ? .done : .refused(.staleToken)
        case .retireOwner(let owner, let date): try retire(owner, at: date)
        case .submit(let submission): try submit(submission)
        case .advance(let flight, let transition, let date): try advance(flight, transition, at: date)
        case .start(let start): try self.start(start)
        case .append(let group): try append(group)
        case .remember(let memory): try remember(memory)
        case .settle(let end): try settle(end)
        case .cancel(let id, let date): try cancel(id, at: date)
        case .retry(let id, let date): try retry(id, at: date)
        case .expire(let date, let limit): try expire(at: date, limit: limit)
        case .reserve(let request, let date): try reserve(request, at: date)
        case .report(let report, let date): try note(report, at: date)
        case .evict(let id): try evict(id)
        case .prune(let budgetPeriod, let limit): try prune(through: budgetPeriod, limit: limit)
        case .pin(let id, let isPinned): try protect(id) { $0.isPinned = isPinned }
        case .merged(let id): try protect(id) { $0.awaitsMerge = false }
        case .trimCache(let limits, let date, let used, let limit):
            try trimCache(limits, usedBefore: date, noting: used, limit: limit)
        case .uncache(let selection): try uncache(selection)
        case .delete(let id, let date): try delete(id, at: date)
        }
    }

    // MARK: Owners

    /// Removes the registration of a process, and breaks its leases. The process has ended, or another process has
    /// found that it is dead.
    private mutating func retire(_ owner: OwnerID, at date: Date) throws(Rows.Failure) -> WriteReceipt {
        try rows.deregister(owner)
        changes.append(.ownerRetired(owner))
        let leased = try rows.flights(leasedTo: owner)
        for id in leased {
            guard var flight = try rows.flight(id) else { continue }
            let token = flight.lifecycle.token
            let hasOutput = try rows.output(of: id)?.generation == flight.lifecycle.generation
            let mayRestart = !hasOutput || flight.streaming?.allowsRestart != false
            var lifecycle = flight.lifecycle
            if let lost = lifecycle.leaseBroken(flight.unknownOutcome, mayRestart: mayRestart) {
                try record(
                    AttemptRecord(
                        attempt: lost, token: token, outcome: .lost, billing: .maybeBilled,
                        startedAt: flight.startedAt ?? date, endedAt: date),
                    of: id, flight)
            }
            flight.move(to: lifecycle)
            try rows.write(flight, of: id)
            changes.append(.flight(id, lifecycle))
            guard lifecycle.state == .settled(.failed) else { continue }
            for member in try rows.members(of: id).settled(as: .failed) {
                try finish(member.id, member.lifecycle, at: date, error: .streamInterrupted)
                changes.append(.request(member.id, of: id, .failed(.streamInterrupted)))
            }
        }
        return .broken(flights: leased.count)
    }

    // MARK: Accounts

    private mutating func reserve(_ request: PermitRequest, at date: Date) throws(Rows.Failure) -> WriteReceipt {
        .permits(try change(request.account) { $0.reserve(request.costs, of: request.limit, now: date) })
    }

    private mutating func note(_ report: AccountReport, at date: Date) throws(Rows.Failure) -> WriteReceipt {
        let (before, after) = try change(report.account) { budget in
            let before = budget.pausedUntil
            budget.note(report, now: date)
            return (before, budget.pausedUntil)
        }
        // Stores keep dates to the microsecond.
        if before?.microsecond != after?.microsecond { changes.append(.account(report.account, pausedUntil: after)) }
        return .done
    }

    /// Applies an event to an account's state. If the account is new, it begins with an empty state.
    private mutating func change<R>(_ account: AccountID, _ event: (inout AccountBudget) -> R) throws(Rows.Failure) -> R
    {
        let known = try rows.budget(of: account)
        var budget = known ?? AccountBudget()
        let result = event(&budget)
        if budget != known { try rows.write(budget, of: account) }
        return result
    }

    // MARK: The ledger

    /// Adds an attempt's record to the ledger. Returns `false` if an earlier record of the attempt is kept instead.
    @discardableResult
    mutating func record(_ attempt: AttemptRecord, of id: FlightID, _ flight: FlightRow) throws(Rows.Failure) -> Bool {
        var entry = attempt
        (entry.provider, entry.model) = (flight.provider, flight.model)
        if let earlier = try rows.attempt(attempt.attempt, of: id) {
            guard attempt.replaces(earlier) else { return false }
            // The record keeps the provider of the attempt, although the flight may have moved to another one.
            (entry.provider, entry.model) = (earlier.provider, earlier.model)
        }
        try rows.write(entry, of: id)
        return true
    }

    /// Starts an attempt that counts towards budgets. If all budgets accept the attempt, charges them.
    private mutating func start(_ start: AttemptStart) throws(Rows.Failure) -> WriteReceipt {
        let receipt = try advance(start.flight, start.transition, at: start.startedAt)
        guard receipt == .done else { return receipt }
        return .started(overBudget: try charge(start))
    }

    /// If all budgets towards which an attempt counts accept it, charges them. If a budget does not accept the attempt,
    /// charges no budget, and returns the refusal of this budget.
    package mutating func charge(_ start: AttemptStart) throws(Rows.Failure) -> BudgetRefusal? {
        // Only the budget of a job needs the flight's row.
        let job = start.charges.contains { $0.job != nil } ? try rows.flight(start.flight)?.job : nil
        var charged: [(charge: BudgetCharge, account: BudgetAccount)] = []
        for charge in start.charges where charge.job == nil || charge.job == job {
            let account = try rows.account(of: charge.budgetPeriod) ?? BudgetAccount()
            guard account.takes(charge) else {
                return BudgetRefusal(budget: charge.budget, left: account.left(of: charge.limit))
            }
            charged.append((charge, account))
        }
        guard !charged.isEmpty else { return nil }
        var reservations: [Reservation] = []
        for (charge, account) in charged {
            let share = BudgetAccount.Share(reserving: charge.bound)
            var account = account
            account.change(from: nil, to: share)
            try rows.write(account, of: charge.budgetPeriod)
            reservations.append(Reservation(budget: charge.budgetPeriod, bound: charge.bound, share: share))
        }
        try rows.write(reservations, of: start.transition.new.attempt, of: start.flight)
        return nil
    }

    /// Replaces the amounts that an attempt reserved in budgets by its actual cost.
    package mutating func settleReservations(of id: FlightID, by record: AttemptRecord) throws(Rows.Failure) {
        var reservations = try rows.reservations(of: record.attempt, of: id)
        guard !reservations.isEmpty else { return }
        for index in reservations.indices {
            let old = reservations[index]
            reservations[index].share = BudgetAccount.Share(settling: record, reserved: old.bound)
            guard reservations[index].share != old.share else { continue }
            var account = try rows.account(of: old.budget) ?? BudgetAccount()
            account.change(from: old.share, to: reservations[index].share)
            try rows.write(account, of: old.budget)
        }
        try rows.write(reservations, of: record.attempt, of: id)
    }

    // MARK: Retention

    private mutating func prune(through last: PrunePlan.Position, limit: Int) throws(Rows.Failure) -> WriteReceipt {
        let candidates = try rows.unprotectedResponses(through: last, limit: max(0, limit))
        var pruned = Pruned(isComplete: candidates.count < limit)
        for flight in candidates {
            // The index of candidates may be out of date. It is corrected here, so that the next batch finds other
            // candidates.
            guard let response = try rows.response(of: flight), !response.isEvicted, try !rows.isProtected(flight)
            else {
                try rows.protectionChanged(of: flight)
                continue
            }
            try evictResponse(of: flight)
            pruned.count += 1
            pruned.bytes += response.bytes
        }
        return .pruned(pruned)
    }

    private mutating func protect(_ id: UUID, _ change: (inout RequestRow) -> Void) throws(Rows.Failure) -> WriteReceipt
    {
        guard var row = try rows.request(id) else { return .unknownRequest }
        change(&row)
        try rows.write(row)
        try rows.protectionChanged(of: row.flight)
        return .done
    }

    mutating func evictResponse(of flight: FlightID) throws(Rows.Failure) {
        if let response = try rows.response(of: flight), !response.isEvicted { dropsAnswers = true }
        try rows.evictResponse(of: flight)
        try forgetAnswer(of: flight)
    }

    // MARK: The cache

    /// Removes an answer from the cache. Returns whether the answer was in the cache.
    @discardableResult
    mutating func forgetAnswer(of id: FlightID) throws(Rows.Failure) -> Bool {
        guard var flight = try rows.flight(id), flight.usedAt != nil else { return false }
        flight.usedAt = nil
        flight.answerBytes = 0
        try rows.write(flight, of: id)
        dropsAnswers = true
        return true
    }

    mutating func noteUse(of id: FlightID, at date: Date) throws(Rows.Failure) {
        guard var flight = try rows.flight(id), let last = flight.usedAt, last < date else { return }
        flight.usedAt = date
        try rows.write(flight, of: id)
    }

    private mutating func trimCache(
        _ limits: CacheLimits, usedBefore date: Date, noting used: [FlightID: Date], limit: Int
    ) throws(Rows.Failure) -> WriteReceipt {
        for (flight, date) in used { try noteUse(of: flight, at: date) }
        let size = try rows.cacheSize()
        var excess = CacheExcess(limits, count: size.count, bytes: size.bytes)
        var count = 0
        while count < limit, let id = try rows.leastRecentlyUsedAnswer() {
            guard let flight = try rows.flight(id), let usedAt = flight.usedAt, usedAt < date || excess.isLeft
            else { break }
            excess.dropped(bytes: flight.answerBytes)
            try forgetAnswer(of: id)
            count += 1
        }
        return .uncached(count)
    }

    private mutating func uncache(_ selection: CacheSelection) throws(Rows.Failure) -> WriteReceipt {
        var count = 0
        for flight in try rows.answers(selection) where try forgetAnswer(of: flight) { count += 1 }
        return .uncached(count)
    }
}

extension StoreMachine: Sendable where Rows: Sendable {}

extension BudgetCharge {
    var budgetPeriod: BudgetPeriod { BudgetPeriod(budget: budget, period: period) }
}

extension Date {
    /// The date in microseconds since 1970, rounded, and clamped to the range of `Int64`.
    fileprivate var microsecond: Int64 {
        let microseconds = (timeIntervalSince1970 * 1_000_000).rounded()
        return Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max)
    }
}
