import Foundation
import GRDB
import Hablare

extension ReadTransaction {
    /// Computes the sums over attempts. If attempts are grouped by tag, an attempt may count in several rows. A second
    /// statement then computes the total.
    func ledger(_ query: LedgerQuery) throws -> LedgerReport {
        var total = LedgerTally()
        guard let grouping = query.grouping else {
            try forEachSum(of: query, by: "NULL", joining: "") { _, row in Self.add(row, to: &total) }
            return LedgerReport(rows: [], total: total.sum)
        }
        var rows: [LedgerRow] = []
        let (key, join) = Self.key(grouping)
        try forEachSum(of: query, by: key, joining: join) { key, row in
            var tally = LedgerTally()
            Self.add(row, to: &tally)
            if grouping != .tag { Self.add(row, to: &total) }
            let name = grouping == .day ? key.flatMap { Int($0) }.map { UTCDay(number: $0).name } : key
            rows.append(LedgerRow(key: name, sum: tally.sum))
        }
        if grouping == .tag {
            try forEachSum(of: query, by: "NULL", joining: "") { _, row in Self.add(row, to: &total) }
        }
        return LedgerReport(unordered: rows, total: total.sum)
    }

    /// Computes the sums over all attempts, including attempts that a budget refused.
    func tally() throws -> LedgerTally {
        var tally = LedgerTally()
        var select = try BoundStatement(db, "SELECT NULL, \(Self.columns) FROM attempts a")
        try select.forEach { if $0.int(1) > 0 { Self.add($0, to: &tally) } }
        return tally
    }

    /// Returns the SQL expression by which attempts are grouped, and the join that it needs.
    private static func key(_ grouping: LedgerQuery.Grouping) -> (key: String, join: String) {
        switch grouping {
        case .provider: ("(SELECT p.name FROM providers p WHERE p.id = a.provider)", "")
        case .model: ("a.model", "")
        case .tag: ("t.tag", "LEFT JOIN flight_tags t ON t.flight = a.flight")
        case .job:
            ("(SELECT j.key FROM jobs j WHERE j.id = f.job)", "LEFT JOIN flights f ON f.id = a.flight")
        // Rounds down before 1970, too, where SQLite's division rounds up.
        case .day:
            ("(a.started_at - ((a.started_at % 86400000000) + 86400000000) % 86400000000) / 86400000000", "")
        }
    }

    /// The columns that are summed, in the order of ``LedgerTally/Quantity``.
    private static let quantities = [
        "a.input_tokens", "a.output_tokens", "a.characters", "a.bytes", "a.audio", "coalesce(a.cost, 0)",
        "CASE WHEN a.ended_at > a.started_at THEN a.ended_at - a.started_at ELSE 0 END", "a.cached_tokens",
        "a.cache_write_tokens", "a.image_tokens", "a.audio_tokens", "a.spoken_tokens",
    ]

    /// The SQL expressions for the sums. Each sum is computed in two halves. The reason is that SQLite's `sum` fails if
    /// it overflows, and its `total` is not exact. Each half can sum two billion rows without overflow.
    private static let sums = quantities.map { "sum((\($0)) >> 32), sum((\($0)) & 4294967295)" }.joined(separator: ", ")

    /// The columns that are read for each group of attempts, after the key of the group.
    private static let columns = """
        count(*), sum(a.outcome IN (1, 4)), sum(a.billing >= 2), sum(a.billing = 3), sum(a.billing = 1),
            sum(a.billing > 0 AND a.cost IS NULL), count(a.cost), \(sums)
        """

    private func forEachSum(
        of query: LedgerQuery, by key: String, joining join: String,
        _ row: (String?, borrowing BoundStatement.RowReader) throws -> Void
    ) throws {
        // Leaves out the attempts whose `AttemptRecord.wasRefusedByBudget` is true.
        var conditions = [
            """
            (a.billing > 0 OR a.error IS NULL
                OR json_extract(CAST(a.error AS TEXT), '$.code') <> '\(AIServiceError.Code.budgetExceeded.rawValue)')
            """
        ]
        if query.from != nil { conditions.append("a.started_at >= ?1") }
        if query.to != nil { conditions.append("a.started_at < ?2") }
        if query.provider != nil {
            conditions.append("a.provider = (SELECT p.id FROM providers p WHERE p.name = ?3)")
        }
        if query.job != nil {
            conditions.append(
                "(SELECT f.job FROM flights f WHERE f.id = a.flight) = (SELECT j.id FROM jobs j WHERE j.key = ?4)")
        }
        if query.tag != nil {
            conditions.append(
                "EXISTS (SELECT 1 FROM flight_tags own WHERE own.flight = a.flight AND own.tag = ?5)")
        }
        let restriction = "WHERE \(conditions.joined(separator: " AND "))"
        var select = try BoundStatement(
            db,
            "SELECT \(key), \(Self.columns) FROM attempts a \(join) \(restriction) GROUP BY 1")
        if let from = query.from { select.bind(1, Coding.time(from)) }
        if let to = query.to { select.bind(2, Coding.time(to)) }
        if let provider = query.provider { select.bind(3, provider.rawValue) }
        if let job = query.job { select.bind(4, job.rawValue) }
        if let tag = query.tag { select.bind(5, tag) }
        try select.forEach { try row($0.text(0), $0) }
    }

    private static func add(_ row: borrowing BoundStatement.RowReader, to tally: inout LedgerTally) {
        var sums: [Int128] = []
        for index in 0..<Int32(quantities.count) {
            sums.append(Int128(row.int(8 + 2 * index)) << 32 + Int128(row.int(9 + 2 * index)))
        }
        tally.add(
            attempts: Int(row.int(1)), failed: Int(row.int(2)), billed: Int(row.int(3)), discarded: Int(row.int(4)),
            maybeBilled: Int(row.int(5)), withoutCost: Int(row.int(6)), withCost: Int(row.int(7)), quantities: sums)
    }

    func budgets() throws -> [BudgetRecord] {
        var records: [BudgetRecord] = []
        var select = try BoundStatement(db, "SELECT name, period, spent, unknown FROM budgets")
        try select.forEach { row in
            records.append(
                BudgetRecord(
                    budget: row.text(0) ?? "", period: Coding.date(row.int(1)), spent: row.int(2),
                    unknown: Int(clamping: row.int(3))))
        }
        return records.sorted { ($0.budget, $0.period) < ($1.budget, $1.period) }
    }
}
