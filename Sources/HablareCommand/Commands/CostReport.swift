import Foundation
import Hablare

struct CostReport: JSONPrintable, Sendable {
    let report: LedgerReport
    var grouping: LedgerQuery.Grouping?
    var unpriced = UnpricedSums()
    var gaps: [PriceGap] = []
    var budgets: [BudgetRecord] = []

    var isEmpty: Bool { report.total.attempts == 0 }

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

    private static func cost(_ sum: LedgerSum) -> String {
        guard let cost = sum.usage.costMicroDollars else { return sum.withoutCost > 0 ? "unknown" : "-" }
        return (sum.withoutCost > 0 ? "at least " : "") + MicroDollars.text(cost)
    }

    private var budgetLines: [String] {
        budgets.map { budget in
            let period = Self.since(budget).map { "from \($0)" } ?? "in total"
            let unknown =
                budget.unknown == 0 ? "" : ", and \(TimeText.count(budget.unknown, "attempt")) of unknown cost"
            return "Budget \(budget.budget), \(period): \(MicroDollars.text(budget.spent)) spent or reserved\(unknown)."
        }
    }

    private static func since(_ budget: BudgetRecord) -> String? {
        let day = UTCDay(containing: budget.period)
        return day.start == Budget.Period.total.start(containing: budget.period) ? nil : day.name
    }

    private static let mostGaps = 5

    func notes(_ file: PricesFile?) -> [String] {
        let withoutCost = report.total.charged(without: unpriced.total).withoutCost
        guard withoutCost > 0 else { return [] }
        let count = TimeText.count(withoutCost, "attempt")
        let more = gaps.dropFirst(Self.mostGaps).count
        return [
            "The cost of \(count) that \(withoutCost == 1 ? "was" : "were") or may have been billed is unknown:"
        ] + gaps.prefix(Self.mostGaps).flatMap { $0.lines(file) }.map { "  " + $0 }
            + (more > 0 ? ["  \(more) more models; --json lists all of them."] : [])
    }

    var json: JSONObject {
        [
            "rows": report.rows.map { row in
                var object = Self.object(row.sum, unpriced.row(row.key))
                object.set("key", row.key)
                return object
            },
            "total": Self.object(report.total, unpriced.total),
            "gaps": gaps,
            "budgets": budgets.map(BudgetRow.init),
        ]
    }

    private static func object(_ all: LedgerSum, _ free: LedgerSum) -> JSONObject {
        let sum = all.charged(without: free)
        let usage = sum.usage
        return [
            "attempts": sum.attempts, "failed": sum.failed, "billed": sum.billed, "discarded": sum.discarded,
            "maybeBilled": sum.maybeBilled, "withoutCost": sum.withoutCost, "withoutPrice": free.attempts,
            "seconds": (sum.duration.inSeconds * 1000).rounded() / 1000, "inputTokens": usage.inputTokens,
            "cachedInputTokens": usage.cachedInputTokens, "cacheWriteTokens": usage.cacheWriteTokens,
            "imageInputTokens": usage.imageInputTokens, "audioInputTokens": usage.audioInputTokens,
            "outputTokens": usage.outputTokens, "audioOutputTokens": usage.audioOutputTokens,
            "characters": usage.characters, "bytes": usage.bytes,
            "audioSeconds": Double(usage.audioMilliseconds) / 1000, "costMicroDollars": usage.costMicroDollars,
        ]
    }

    private struct BudgetRow: Encodable {
        let budget: String
        let since: String?
        let spentMicroDollars: Int64
        let unknownAttempts: Int

        init(_ record: BudgetRecord) {
            budget = record.budget
            since = CostReport.since(record)
            spentMicroDollars = record.spent
            unknownAttempts = record.unknown
        }
    }
}
