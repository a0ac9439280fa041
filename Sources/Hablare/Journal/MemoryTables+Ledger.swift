import Foundation
import OrderedCollections

/// What the ledger has beside the attempts.
struct LedgerTables: Sendable {
    /// A period of a budget.
    struct BudgetKey: Hashable, Sendable {
        let budget: String
        let period: Date
    }

    /// An attempt.
    struct AttemptKey: Hashable, Sendable {
        let flight: FlightID
        let attempt: Int
    }

    /// What an attempt counts for in a budget.
    struct Reservation: Sendable {
        let budget: BudgetKey
        let bound: Int64?
        var share: BudgetAccount.Share
    }

    /// The tags of all requests that were ever members of a flight, each once.
    var tags: [FlightID: OrderedSet<String>] = [:]
    var budgets: [BudgetKey: BudgetAccount] = [:]
    /// Kept for ever: a later word on an attempt may change what it counts for.
    var reservations: [AttemptKey: [Reservation]] = [:]
}

extension MemoryTables {
    /// Moves a flight to an attempt that counts against budgets, and charges them if all of them take it.
    mutating func start(_ start: AttemptStart) -> WriteReceipt {
        let receipt = advance(start.flight, start.transition, at: start.startedAt)
        guard receipt == .done else { return receipt }
        let job = flights[start.flight]?.job
        let charges = start.charges.filter { $0.job == nil || $0.job == job }
        for charge in charges {
            let account = ledgerTables.budgets[charge.key] ?? BudgetAccount()
            guard account.takes(charge) else {
                return .started(
                    overBudget: BudgetRefusal(budget: charge.budget, left: account.left(of: charge.limit)))
            }
        }
        let key = LedgerTables.AttemptKey(flight: start.flight, attempt: start.transition.new.attempt)
        ledgerTables.reservations[key] = charges.map { charge in
            let share = BudgetAccount.Share(reserving: charge.bound)
            ledgerTables.budgets[charge.key, default: BudgetAccount()].change(from: nil, to: share)
            return LedgerTables.Reservation(budget: charge.key, bound: charge.bound, share: share)
        }
        return .started(overBudget: nil)
    }

    /// Puts what an attempt cost in the place of what was reserved for it.
    mutating func settleReservations(of flight: FlightID, by record: AttemptRecord) {
        let key = LedgerTables.AttemptKey(flight: flight, attempt: record.attempt)
        guard let reservations = ledgerTables.reservations[key] else { return }
        ledgerTables.reservations[key] = reservations.map { old in
            var reservation = old
            reservation.share = BudgetAccount.Share(settling: record, reserved: old.bound)
            ledgerTables.budgets[old.budget]?.change(from: old.share, to: reservation.share)
            return reservation
        }
    }

    var budgetRecords: [BudgetRecord] {
        ledgerTables.budgets.map { key, account in
            BudgetRecord(budget: key.budget, period: key.period, spent: account.spent, unknown: account.unknown)
        }.sorted { ($0.budget, $0.period) < ($1.budget, $1.period) }
    }

    var lines: [AttemptRecord] { ledger.values.flatMap { $0 } }

    func ledger(_ query: LedgerQuery) -> LedgerReport {
        var total = LedgerTally()
        var tallies: [String?: LedgerTally] = [:]
        for (id, records) in ledger {
            let job = flights[id]?.job
            let tags = ledgerTables.tags[id] ?? []
            guard query.job == nil || query.job == job, query.tag.map(tags.contains) ?? true else { continue }
            for record in records where query.covers(record) {
                total.add(record)
                for key in query.keys(of: record, job: job, tags: Array(tags)) {
                    tallies[key, default: LedgerTally()].add(record)
                }
            }
        }
        return LedgerReport(unordered: tallies.map { LedgerRow(key: $0.key, sum: $0.value.sum) }, total: total.sum)
    }
}

extension LedgerQuery {
    fileprivate func covers(_ record: AttemptRecord) -> Bool {
        !record.wasRefusedByBudget && (from ?? .distantPast) <= record.startedAt
            && record.startedAt < (to ?? .distantFuture)
            && (provider == nil || provider == record.provider)
    }

    /// The rows that an attempt counts in.
    fileprivate func keys(of record: AttemptRecord, job: JobKey?, tags: [String]) -> [String?] {
        switch grouping {
        case nil: []
        case .provider: [record.provider?.rawValue]
        case .model: [record.model]
        case .tag: tags.isEmpty ? [nil] : tags
        case .job: [job?.rawValue]
        case .day: [UTCDay(containing: record.startedAt).name]
        }
    }
}

extension BudgetCharge {
    fileprivate var key: LedgerTables.BudgetKey { LedgerTables.BudgetKey(budget: budget, period: period) }
}
