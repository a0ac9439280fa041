import Foundation

extension AIRequestManager {
    /// Sums over the attempts in the ledger: what was used, what it cost, and of how many attempts nobody knows that.
    /// Reads every attempt: for people, not for loops.
    ///
    /// - Throws: ``AIServiceError`` of category storage.
    public func ledger(_ query: LedgerQuery = LedgerQuery()) async throws -> LedgerReport {
        try await journal.read { try $0.ledger(query) }
    }

    /// What was spent of budgets in their periods, by name, then by period; also of budgets that this process is not
    /// configured with.
    ///
    /// - Throws: ``AIServiceError`` of category storage.
    public func budgets() async throws -> [BudgetRecord] {
        try await journal.read { try $0.budgets() }
    }
}
