import Hablare

/// No budget is exceeded by what the providers charged, whoever crashed meanwhile, and nobody is refused for nothing.
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
            if charged > budget.limit { found.append("\(charged) were charged, of \(budget.limit)") }
            // Where all attempts together could not have reached it, no call can have been over it.
            if Int64(history.attempts) * SimulationCosts.bound <= budget.limit, isAnybodyRefused(history) {
                found.append("a request was refused, and \(history.attempts) attempts cannot cost \(budget.limit)")
            }
        }
        if history.plan.configuration.budgets.isEmpty, isAnybodyRefused(history) {
            found.append("a request was refused where there is no budget")
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

/// The ledger has what every answer cost, its sums are those of its lines, and what is spent of a budget is what its
/// attempts cost, or could have cost where nobody knows.
enum LedgerIsTrue: SimulationRule {
    static let name = "the ledger is true"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        if history.ledger.attempts != history.made {
            found.append("the sum is over \(history.ledger.attempts) attempts, of \(history.made)")
        }
        for story in history.stories where !story.isMurky {
            let lines = history.final[story.number]?.attempts ?? []
            for call in story.calls where call.started < history.quiet {
                guard let line = lines.first(where: { $0.attempt == call.attempt }),
                    line.billing == .billed || line.billing == .billedDiscarded
                else { continue }
                let cost =
                    call.end?.how == .answered(isPromisedType: true)
                    ? SimulationCosts.cost(ofCall: call.work, at: call.provider) : nil
                // Whoever completes the request tells what its work cost, and nobody else.
                if line.outcome != .completed, isCompleted(call.work, by: story, lines) {
                    found.append(
                        "the work of call \(call.work), which is billed, is billed with call \(call.number), too")
                }
                if line.cost != cost {
                    found.append("call \(call.number) cost \(cost ?? -1), and its line says \(line.cost ?? -1)")
                }
            }
        }
        let lines = history.final.values.flatMap(\.attempts)
        // What was entered after the books were read, or of deleted requests, is in the sums alone.
        guard lines.count == history.attempts, history.stories.allSatisfy({ !$0.isMurky }) else { return found }
        let sum = lines.reduce(Int64(0)) { $0 + ($1.cost ?? 0) }
        if history.ledger.usage.costMicroDollars ?? 0 < sum {
            found.append("the ledger's sum is \(history.ledger.usage.costMicroDollars ?? 0), its lines' \(sum)")
        }
        for budget in history.plan.configuration.budgets {
            let counted = lines.filter { budget.counts($0.provider) }
            // What goes on with work is paid for by what was reserved for the attempt that began it.
            let resumed = history.calls.filter(\.hasResumed).reduce(Int64(0)) { sum, call in
                sum + (history.line(of: call).flatMap { budget.counts($0.provider) ? $0.cost : nil } ?? 0)
            }
            let least = counted.reduce(-resumed) { $0 + ($1.cost ?? 0) }
            let most = counted.reduce(Int64(0)) { sum, line in
                sum + (line.cost ?? (line.billing == .neverSent ? 0 : SimulationCosts.bound))
            }
            let spent = history.spent[budget.name] ?? 0
            if spent < least || spent > most {
                found.append("\(spent) is spent, and the attempts cost \(least) to \(most)")
            }
        }
        return found
    }

    /// Whether a request's answer is that of some work.
    private static func isCompleted(
        _ work: Int32, by story: RequestStory, _ lines: [FinalRecord.Attempt]
    ) -> Bool {
        story.calls.contains { call in
            call.work == work && lines.contains { $0.attempt == call.attempt && $0.outcome == .completed }
        }
    }
}
