import Foundation
import GRDB
import Hablare
import HablareTestKit
import Testing

@testable import HablareSQLite

/// Compares the sums of budgets with their reservations.
@Suite struct BudgetCheckTests {
    private let sqlite: SQLiteBench

    init() throws {
        sqlite = try SQLiteBench()
        try StoreLife(bench: sqlite.bench).begin()
    }

    private func problems(after damage: String) throws -> [StoreDiagnosis.Finding] {
        try sqlite.store.pool.write { try $0.execute(sql: damage) }
        return try sqlite.store.diagnose().findings.filter(\.isProblem)
    }

    @Test func `Budgets with finished, running and unknown-cost attempts are consistent`() throws {
        #expect(try sqlite.store.budgets().map(\.spent) == [55])
        #expect(try sqlite.store.budgets().map(\.unknown) == [1])
        #expect(try problems(after: "") == [])
    }

    @Test(
        "diagnose finds a budget's sum that differs from its reservations, and names the budget",
        arguments: [
            "UPDATE budgets SET spent = spent + 1", "UPDATE budgets SET spent = -1", "UPDATE budgets SET unknown = 0",
            "DELETE FROM budgets", "UPDATE reservations SET amount = amount + 1 WHERE unknown = 0",
            "DELETE FROM reservations", "UPDATE reservations SET unknown = 1",
        ])
    func wrong(damage: String) throws {
        let found = try problems(after: damage)
        #expect(found.map(\.kind) == [.budgetMiscounted])
        #expect(found.first?.message.contains("budget b,") == true)
    }

    @Test func `Each period is checked separately`() throws {
        let found = try problems(after: "UPDATE reservations SET period = period + 86400000000 WHERE amount = 50")
        #expect(found.map(\.kind) == [.budgetMiscounted, .budgetMiscounted])
    }

    @Test func `A sum beyond the maximum saturates`() throws {
        let greatest = Int64.max
        let damage = """
            UPDATE reservations SET amount = \(greatest) WHERE unknown = 0; UPDATE budgets SET spent = \(greatest)
            """
        #expect(try problems(after: damage) == [])
    }
}
