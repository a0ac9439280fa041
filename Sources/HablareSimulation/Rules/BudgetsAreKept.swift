import Hablare

/// Budgets: the charges of the providers never exceed a budget, even if processes crash. No request is refused although
/// the budget has enough left.
enum BudgetsAreKept: SimulationRule {
    static let name = "budgets are kept"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        for budget in history.plan.configuration.budgets {
            var works: Set<Int32> = []
            let charged = history.calls.reduce(Int64(0)) { sum, call in
                guard budget.counts(SimulationNames.provider(Int(call.provider))),
                    call.end?.how == .answered(isPromisedType: true), works.insert(call.work).inserted
                else { return sum }
                return sum + (SimulationCosts.cost(ofCall: call.work, at: call.provider) ?? 0)
            }
            if charged > budget.limit { found.append("\(charged) was charged, but the limit is \(budget.limit)") }
            // If all attempts together could not reach the budget, no call can exceed it.
            if Int64(history.attempts) * SimulationCosts.bound <= budget.limit, isAnybodyRefused(history) {
                found.append("a request was refused, but \(history.attempts) attempts cannot cost \(budget.limit)")
            }
        }
        if history.plan.configuration.budgets.isEmpty, isAnybodyRefused(history) {
            found.append("a request was refused, but there is no budget")
        }
        return found
    }

    private static func isAnybodyRefused(_ history: SimulationHistory) -> Bool {
        history.stories.contains { story in
            story.outcomes.contains { said in
                if case .failed(let code, _) = said.outcome {
                    code == AIServiceErrorCode.budgetExceeded.rawValue
                } else {
                    false
                }
            }
        }
    }
}

/// The ledger contains the cost of every answer, and its sums equal the sums of its entries. The spent amount of a
/// budget is the sum of the actual costs of the attempts. If the cost of an attempt is unknown, its maximum cost
/// counts.
enum LedgerIsTrue: SimulationRule {
    static let name = "the ledger is true"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        if history.ledger.attempts != history.made {
            found.append("the ledger's sum counts \(history.ledger.attempts) attempts, but \(history.made) were made")
        }
        for story in history.stories where !story.isMurky {
            let entries = history.final[story.number]?.attempts ?? []
            for call in story.calls where call.started < history.quiet {
                guard let entry = entries.first(where: { $0.attempt == call.attempt }),
                    entry.billing == .billed || entry.billing == .billedDiscarded
                else { continue }
                let cost =
                    call.end?.how == .answered(isPromisedType: true)
                    ? SimulationCosts.cost(ofCall: call.work, at: call.provider) : nil
                // Only the attempt that completes the request has the cost of its work.
                if entry.outcome != .completed, isCompleted(call.work, by: story, entries) {
                    found.append(
                        "the work of call \(call.work) is billed, and is billed again with call \(call.number)")
                }
                if entry.cost != cost {
                    found.append(
                        "call \(call.number) cost \(cost ?? -1), but its line in the ledger says \(entry.cost ?? -1)")
                }
            }
        }
        let entries = history.final.values.flatMap(\.attempts)
        // Attempts entered after the final reading, or of deleted requests, appear only in the sums.
        guard entries.count == history.attempts, history.stories.allSatisfy({ !$0.isMurky }) else { return found }
        let sum = entries.reduce(Int64(0)) { $0 + ($1.cost ?? 0) }
        if history.ledger.usage.costMicroDollars ?? 0 < sum {
            found.append(
                "the ledger's sum is \(history.ledger.usage.costMicroDollars ?? 0), but the sum of its lines is \(sum)")
        }
        for budget in history.plan.configuration.budgets {
            let counted = entries.filter { budget.counts($0.provider) }
            // Resumed work is paid for by the reservation of the attempt that began it.
            let resumed = history.calls.filter(\.hasResumed).reduce(Int64(0)) { sum, call in
                sum + (history.entry(of: call).flatMap { budget.counts($0.provider) ? $0.cost : nil } ?? 0)
            }
            let least = counted.reduce(-resumed) { $0 + ($1.cost ?? 0) }
            let most = counted.reduce(Int64(0)) { sum, entry in
                sum + (entry.cost ?? (entry.billing == .neverSent ? 0 : SimulationCosts.bound))
            }
            let spent = history.spent[budget.name] ?? 0
            if spent < least || spent > most {
                found.append("\(spent) is recorded as spent, but the attempts cost \(least) to \(most)")
            }
        }
        return found
    }

    /// Returns whether a request was completed with the answer of the given work.
    private static func isCompleted(
        _ work: Int32, by story: RequestStory, _ entries: [FinalRecord.Attempt]
    ) -> Bool {
        story.calls.contains { call in
            call.work == work && entries.contains { $0.attempt == call.attempt && $0.outcome == .completed }
        }
    }
}
