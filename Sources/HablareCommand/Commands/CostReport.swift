import Foundation
import Hablare

/// What was used and what it cost, for people and for programs.
struct CostReport: Encodable, Sendable {
    private let report: LedgerReport
    private let grouping: LedgerQuery.Grouping?
    private let unpriced: UnpricedSums
    private let gaps: [PriceGap]
    private let budgets: [BudgetRecord]

    init(
        _ report: LedgerReport, by grouping: LedgerQuery.Grouping? = nil, unpriced: UnpricedSums = UnpricedSums(),
        gaps: [PriceGap] = [], budgets: [BudgetRecord] = []
    ) {
        self.report = report
        self.grouping = grouping
        self.unpriced = unpriced
        self.gaps = gaps
        self.budgets = budgets
    }

    var isEmpty: Bool { report.total.attempts == 0 }

    // MARK: For people

    func lines(_ style: Style) -> [String] {
        var table = Table(
            [grouping?.rawValue.uppercased() ?? ""].filter { !$0.isEmpty }
                + ["ATTEMPTS", "FAILED", "BILLED", "MAYBE", "TOOK", "TOKENS IN", "OUT", "CHARACTERS", "BYTES", "COST"])
        for row in report.rows { table.append([row.key ?? "(none)"] + Self.cells(row.sum, unpriced.row(row.key))) }
        table.append((grouping == nil ? [] : ["TOTAL"]) + Self.cells(report.total, unpriced.total))
        return table.lines(style) + budgetLines.map(style.plain)
    }

    private static func cells(_ all: LedgerSum, _ free: LedgerSum) -> [String] {
        let sum = all.charged(without: free)
        let usage = sum.usage
        let cost = free.attempts > 0 && free.attempts == all.attempts ? "no price" : cost(sum)
        return [
            String(sum.attempts), String(sum.failed), String(sum.billed), String(sum.maybeBilled),
            TimeText.length(sum.duration / .seconds(1)), String(usage.inputTokens), String(usage.outputTokens),
            String(usage.characters), String(usage.bytes), cost,
        ]
    }

    /// A sum with gaps is a least one, and says so.
    private static func cost(_ sum: LedgerSum) -> String {
        guard let cost = sum.usage.costMicroDollars else { return sum.withoutCost > 0 ? "unknown" : "-" }
        return (sum.withoutCost > 0 ? "at least " : "") + MicroDollars.text(cost)
    }

    private var budgetLines: [String] {
        budgets.map { budget in
            let period = Self.since(budget).map { "from \($0) on" } ?? "in all"
            let unknown = budget.unknown == 0 ? "" : ", and \(Self.attempts(budget.unknown)) of unknown cost"
            return "Budget \(budget.budget), \(period): \(MicroDollars.text(budget.spent)) spent or reserved\(unknown)."
        }
    }

    /// When a budget's period began; `nil` for one of all time.
    private static func since(_ budget: BudgetRecord) -> String? {
        let day = UTCDay(containing: budget.period)
        return day.start == Budget.Period.total.start(containing: budget.period) ? nil : day.name
    }

    /// How many gaps are told of one by one.
    private static let mostGaps = 5

    /// What the sums leave out, in words, and what to do.
    ///
    /// - Parameter file: Where a price would be written.
    func notes(_ file: PricesFile?) -> [String] {
        let withoutCost = report.total.charged(without: unpriced.total).withoutCost
        guard withoutCost > 0 else { return [] }
        let count = Self.attempts(withoutCost)
        let more = gaps.dropFirst(Self.mostGaps).count
        return [
            "Of \(count) that \(withoutCost == 1 ? "was" : "were") billed, or may have been, nobody knows the cost:"
        ] + gaps.prefix(Self.mostGaps).flatMap { $0.lines(file) }.map { "  " + $0 }
            + (more > 0 ? ["  \(more) more models; --json has all of them."] : [])
    }

    private static func attempts(_ count: Int) -> String { count == 1 ? "1 attempt" : "\(count) attempts" }

    // MARK: For programs

    private enum CodingKeys: String, CodingKey {
        case rows, total, gaps, budgets
    }

    private struct Sum: Encodable {
        let sum: LedgerSum
        let withoutPrice: Int
        var key: String??

        init(_ all: LedgerSum, _ free: LedgerSum, key: String?? = nil) {
            sum = all.charged(without: free)
            withoutPrice = free.attempts
            self.key = key
        }

        private enum CodingKeys: String, CodingKey {
            case key, attempts, failed, billed, discarded, maybeBilled, withoutCost, withoutPrice, seconds, inputTokens
            case cachedInputTokens, cacheWriteTokens, outputTokens, characters, bytes, audioSeconds, costMicroDollars
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            if let key { try container.encode(key, forKey: .key) }
            try container.encode(sum.attempts, forKey: .attempts)
            try container.encode(sum.failed, forKey: .failed)
            try container.encode(sum.billed, forKey: .billed)
            try container.encode(sum.discarded, forKey: .discarded)
            try container.encode(sum.maybeBilled, forKey: .maybeBilled)
            try container.encode(sum.withoutCost, forKey: .withoutCost)
            try container.encode(withoutPrice, forKey: .withoutPrice)
            try container.encode((sum.duration / .seconds(1) * 1000).rounded() / 1000, forKey: .seconds)
            try container.encode(sum.usage.inputTokens, forKey: .inputTokens)
            try container.encode(sum.usage.cachedInputTokens, forKey: .cachedInputTokens)
            try container.encode(sum.usage.cacheWriteTokens, forKey: .cacheWriteTokens)
            try container.encode(sum.usage.outputTokens, forKey: .outputTokens)
            try container.encode(sum.usage.characters, forKey: .characters)
            try container.encode(sum.usage.bytes, forKey: .bytes)
            try container.encode(Double(sum.usage.audioMilliseconds) / 1000, forKey: .audioSeconds)
            try container.encode(sum.usage.costMicroDollars, forKey: .costMicroDollars)
        }
    }

    private struct BudgetRow: Encodable {
        let budget: String
        let since: String?
        let spentMicroDollars: Int64
        let unknownAttempts: Int
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(report.rows.map { Sum($0.sum, unpriced.row($0.key), key: .some($0.key)) }, forKey: .rows)
        try container.encode(Sum(report.total, unpriced.total), forKey: .total)
        try container.encode(gaps, forKey: .gaps)
        let rows = budgets.map { budget in
            BudgetRow(
                budget: budget.budget, since: Self.since(budget), spentMicroDollars: budget.spent,
                unknownAttempts: budget.unknown)
        }
        try container.encode(rows, forKey: .budgets)
    }
}
