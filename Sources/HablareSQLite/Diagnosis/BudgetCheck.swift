import Foundation
import GRDB
import Hablare
import HablareStores

/// Checks the recorded spending of budgets.
struct BudgetCheck {
    /// A budget in one period.
    private struct Key: Hashable {
        let name: String
        let period: Int64
    }

    let db: Database

    /// Reports each budget whose recorded amount differs from the sum of its reservations.
    func run(into diagnosis: inout StoreDiagnosis) throws {
        let noted = try accounts()
        let counted = try sums()
        for key in Set(noted.keys).union(counted.keys).sorted(by: { ($0.name, $0.period) < ($1.name, $1.period) }) {
            let (noted, counted) = (noted[key] ?? BudgetAccount(), counted[key] ?? BudgetAccount())
            guard noted != counted else { continue }
            let day = Coding.date(key.period).formatted(.iso8601.year().month().day())
            diagnosis.findings.append(
                StoreDiagnosis.Finding(
                    kind: .budgetMiscounted, isProblem: true,
                    message:
                        """
                        Of the budget \(key.name), in its period from \(day) on, \(Self.text(noted)) noted, and its \
                        attempts make that \(Self.text(counted)): it may refuse too early or too late. Another \
                        program has written to the database. Give the budget another name to restart it.
                        """
                ))
        }
    }

    private func accounts() throws -> [Key: BudgetAccount] {
        var accounts: [Key: BudgetAccount] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT name, period, spent, unknown FROM budgets") {
            accounts[Key(name: row[0], period: row[1])] = BudgetAccount(spent: row[2], unknown: row[3])
        }
        return accounts
    }

    /// Returns the sum of the reservations of each budget. As in the store, a sum that is too large is clamped.
    /// SQLite's function `sum` would fail in this case.
    private func sums() throws -> [Key: BudgetAccount] {
        var sums: [Key: BudgetAccount] = [:]
        let rows = try Row.fetchCursor(db, sql: "SELECT budget, period, amount, unknown FROM reservations")
        while let row = try rows.next() {
            let isUnknown: Int64 = row[3]
            let share = BudgetAccount.Share(amount: row[2], isUnknown: isUnknown != 0)
            sums[Key(name: row[0], period: row[1]), default: BudgetAccount()].change(from: nil, to: share)
        }
        return sums
    }

    private static func text(_ account: BudgetAccount) -> String {
        "\(account.spent) micro-dollars and \(account.unknown) attempts of unknown cost are"
    }
}
