import Foundation
import GRDB
import Hablare

extension WriteTransaction {
    func reserve(_ request: PermitRequest, at date: Date) throws -> WriteReceipt {
        var grant = PermitGrant(costs: [], next: nil)
        try change(request.account) { grant = $0.reserve(request.costs, of: request.limit, now: date) }
        return .permits(grant)
    }

    func note(_ report: AccountReport, at date: Date) throws -> WriteReceipt {
        try change(report.account) { $0.note(report, now: date) }
        return .done
    }

    /// Lets the account's machine change its row; a new account begins with nothing known of it.
    private func change(_ account: AccountID, _ event: (inout AccountBudget) -> Void) throws {
        var stored: AccountBudget?
        var select = try BoundStatement(db, "\(AccountBudget.selection) FROM accounts WHERE name = ?1")
        select.bind(1, account.rawValue)
        try select.forEach { stored = AccountBudget($0) }
        var budget = stored ?? AccountBudget()
        event(&budget)
        guard budget != stored else { return }
        var upsert = try BoundStatement(
            db,
            """
            INSERT INTO accounts (name, request_level, request_level_at, unit_level, unit_level_at, reported_requests,
                reported_units, paused_until, next_call, failing_until)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            ON CONFLICT (name) DO UPDATE SET request_level = ?2, request_level_at = ?3, unit_level = ?4,
                unit_level_at = ?5, reported_requests = ?6, reported_units = ?7, paused_until = ?8, next_call = ?9,
                failing_until = ?10
            """)
        upsert.bind(1, account.rawValue)
        upsert.bind(2, budget.requests?.level)
        upsert.bind(3, (budget.requests?.updatedAt).map(Coding.time))
        upsert.bind(4, budget.units?.level)
        upsert.bind(5, (budget.units?.updatedAt).map(Coding.time))
        upsert.bind(6, budget.reportedRequests)
        upsert.bind(7, budget.reportedUnits)
        upsert.bind(8, budget.pausedUntil.map(Coding.time))
        upsert.bind(9, budget.nextCall.map(Coding.time))
        upsert.bind(10, budget.failingUntil.map(Coding.time))
        try upsert.run()
    }
}

extension AccountBudget {
    /// For ``init(_:)``.
    static let selection = """
        SELECT request_level, request_level_at, unit_level, unit_level_at, reported_requests, reported_units,
            paused_until, next_call, failing_until
        """

    /// How many columns ``selection`` has.
    static let count: Int32 = 9

    /// Reads a row whose first columns are ``selection``.
    init(_ row: borrowing BoundStatement.RowReader) {
        self.init(
            requests: Self.bucket(row, 0), units: Self.bucket(row, 2), reportedRequests: row.optionalDouble(4),
            reportedUnits: row.optionalDouble(5), pausedUntil: row.optionalInt(6).map(Coding.date),
            nextCall: row.optionalInt(7).map(Coding.date), failingUntil: row.optionalInt(8).map(Coding.date))
    }

    private static func bucket(_ row: borrowing BoundStatement.RowReader, _ column: Int32) -> TokenBucket? {
        guard let level = row.optionalDouble(column), let time = row.optionalInt(column + 1) else { return nil }
        return TokenBucket(level: level, updatedAt: Coding.date(time))
    }
}
