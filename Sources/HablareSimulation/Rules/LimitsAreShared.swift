import Hablare

/// In any period, all processes together send an account at most as many calls as its burst plus the amount that is
/// added in this period. A tolerance is added, because a process may hold a permit for a second before it uses it.
enum LimitsAreShared: SimulationRule {
    static let name = "limits are shared"

    static func violations(in history: SimulationHistory) -> [String] {
        // Jumping dates refill the bucket, and a sleeping process holds its permits.
        guard history.hasOneTime, history.processes.allSatisfy({ $0.sleeps.isEmpty }) else { return [] }
        var found: [String] = []
        for account in Set(history.plan.providers.map(\.account)).sorted() {
            guard let rate = history.plan.providers.first(where: { $0.account == account })?.rate else { continue }
            let calls = history.calls.filter { history.plan.providers[Int($0.provider)].account == account }
            let slack = 1_000_000_000 + history.hurry
            if let limit = rate.requestsPerMinute {
                let spent = calls.map { ($0.startedAt, 1.0) }
                check(spent, bound(limit, account, rate, history), rate.burst, slack, "calls of a\(account)", &found)
            }
            if let limit = rate.unitsPerMinute {
                let spent = calls.map { ($0.startedAt, Double(SimulationNames.prompt($0.content).count)) }
                check(spent, limit, rate.burst, slack, "units of a\(account)", &found)
            }
        }
        return found
    }

    /// Returns the highest limit that may apply. If the limit is an estimate, a limit that the provider reports
    /// replaces it.
    private static func bound(
        _ limit: Double, _ account: Int, _ rate: RateLimit, _ history: SimulationHistory
    ) -> Double {
        guard rate.isEstimate else { return limit }
        return history.sayings.values.reduce(limit) { limit, saying in
            if case .perMinute(let said) = saying { max(limit, said) } else { limit }
        }
    }

    private static func check(
        _ spent: [(time: Int64, cost: Double)], _ limit: Double, _ burst: Double, _ slack: Int64, _ what: String,
        _ found: inout [String]
    ) {
        let capacity = max(1, limit * burst, spent.map(\.cost).max() ?? 0)
        for first in spent.indices {
            var sum = 0.0
            for last in first..<spent.count {
                sum += spent[last].cost
                let span = Double(spent[last].time - spent[first].time + slack) / 60e9
                if sum > capacity + limit * span + 1e-3 {
                    found.append(
                        "\(sum) \(what) within \(span * 60) s, but the limit is \(capacity) at once and \(limit) a minute"
                    )
                    return
                }
            }
        }
    }
}
