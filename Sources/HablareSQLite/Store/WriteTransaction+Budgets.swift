import Foundation
import GRDB
import Hablare

extension WriteTransaction {
    // MARK: Tags

    /// Enters the tags of a request that became a member of a flight.
    func note(tags: [String], of flight: FlightID) throws {
        for tag in tags {
            var insert = try BoundStatement(
                db, "INSERT INTO flight_tags (flight, tag) VALUES (?1, ?2) ON CONFLICT DO NOTHING")
            insert.bind(1, flight.rawValue)
            insert.bind(2, tag)
            try insert.run()
        }
    }

    // MARK: Budgets

    /// Moves a flight to an attempt that counts against budgets, and charges them if all of them take it.
    mutating func start(_ start: AttemptStart) throws -> WriteReceipt {
        let receipt = try advance(start.flight, start.transition, at: start.startedAt)
        guard receipt == .done else { return receipt }
        var charged: [(charge: BudgetCharge, account: BudgetAccount)] = []
        for charge in start.charges where try counts(charge, for: start.flight) {
            let account = try account(of: charge.budget, period: Coding.time(charge.period))
            guard account.takes(charge) else {
                return .started(
                    overBudget: BudgetRefusal(budget: charge.budget, left: account.left(of: charge.limit)))
            }
            charged.append((charge, account))
        }
        for (charge, account) in charged {
            try reserve(charge, in: account, of: start.flight, attempt: start.transition.new.attempt)
        }
        return .started(overBudget: nil)
    }

    private mutating func counts(_ charge: BudgetCharge, for flight: FlightID) throws -> Bool {
        guard let job = charge.job else { return true }
        var counts = false
        var select = try BoundStatement(
            db, "SELECT 1 FROM flights f JOIN jobs j ON j.id = f.job WHERE f.id = ?1 AND j.key = ?2")
        select.bind(1, flight.rawValue)
        select.bind(2, job.rawValue)
        try select.forEach { _ in counts = true }
        return counts
    }

    private func account(of budget: String, period: Int64) throws -> BudgetAccount {
        var account = BudgetAccount()
        var select = try BoundStatement(db, "SELECT spent, unknown FROM budgets WHERE name = ?1 AND period = ?2")
        select.bind(1, budget)
        select.bind(2, period)
        try select.forEach { row in
            account = BudgetAccount(spent: row.int(0), unknown: Int(clamping: row.int(1)))
        }
        return account
    }

    private func write(_ account: BudgetAccount, of budget: String, period: Int64) throws {
        var upsert = try BoundStatement(
            db,
            """
            INSERT INTO budgets (name, period, spent, unknown) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (name, period) DO UPDATE SET spent = ?3, unknown = ?4
            """)
        upsert.bind(1, budget)
        upsert.bind(2, period)
        upsert.bind(3, account.spent)
        upsert.bind(4, account.unknown)
        try upsert.run()
    }

    private func reserve(
        _ charge: BudgetCharge, in account: BudgetAccount, of flight: FlightID, attempt: Int
    ) throws {
        let share = BudgetAccount.Share(reserving: charge.bound)
        let period = Coding.time(charge.period)
        var account = account
        account.change(from: nil, to: share)
        try write(account, of: charge.budget, period: period)
        var insert = try BoundStatement(
            db,
            """
            INSERT INTO reservations (flight, attempt, budget, period, bound, amount, unknown)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING
            """)
        insert.bind(1, flight.rawValue)
        insert.bind(2, attempt)
        insert.bind(3, charge.budget)
        insert.bind(4, period)
        insert.bind(5, charge.bound)
        insert.bind(6, share.amount)
        insert.bind(7, share.isUnknown ? 1 : 0)
        try insert.run()
    }

    private struct Reservation {
        let budget: String
        let period: Int64
        let bound: Int64?
        let share: BudgetAccount.Share
    }

    /// Puts what an attempt cost in the place of what was reserved for it.
    func settleReservations(of flight: FlightID, by record: AttemptRecord) throws {
        for reservation in try reservations(of: flight, attempt: record.attempt) {
            let share = BudgetAccount.Share(settling: record, reserved: reservation.bound)
            guard share != reservation.share else { continue }
            var account = try account(of: reservation.budget, period: reservation.period)
            account.change(from: reservation.share, to: share)
            try write(account, of: reservation.budget, period: reservation.period)
            var update = try BoundStatement(
                db,
                "UPDATE reservations SET amount = ?4, unknown = ?5 WHERE flight = ?1 AND attempt = ?2 AND budget = ?3")
            update.bind(1, flight.rawValue)
            update.bind(2, record.attempt)
            update.bind(3, reservation.budget)
            update.bind(4, share.amount)
            update.bind(5, share.isUnknown ? 1 : 0)
            try update.run()
        }
    }

    private func reservations(of flight: FlightID, attempt: Int) throws -> [Reservation] {
        var reservations: [Reservation] = []
        var select = try BoundStatement(
            db,
            "SELECT budget, period, bound, amount, unknown FROM reservations WHERE flight = ?1 AND attempt = ?2")
        select.bind(1, flight.rawValue)
        select.bind(2, attempt)
        try select.forEach { row in
            reservations.append(
                Reservation(
                    budget: row.text(0) ?? "", period: row.int(1), bound: row.optionalInt(2),
                    share: BudgetAccount.Share(amount: row.int(3), isUnknown: row.int(4) != 0)))
        }
        return reservations
    }
}
