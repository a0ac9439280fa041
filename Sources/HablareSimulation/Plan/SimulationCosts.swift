import Hablare
import HablareTestKit

/// The costs of calls in histories, and the budgets. Every answer has a different cost. So a sum of costs shows which
/// calls it includes.
enum SimulationCosts {
    /// The upper bound of a call's cost, in micro-dollars. It is stated before the call is sent. Every call costs less.
    static let bound: Int64 = 400

    /// The price table. The first provider costs a micro-dollar for each token. The other providers have no price.
    static let prices: PriceTable = {
        do {
            return try PriceTable(
                [PriceUnit.inputToken, .outputToken].map {
                    PriceEntry(
                        provider: SimulationNames.provider(0).rawValue, unit: $0, microDollarsPerMillion: 1_000_000)
                })
        } catch {
            return .empty  // unreachable: the price is valid
        }
    }()

    /// Returns the usage of a call's answer. Its input tokens identify the call.
    static func usage(ofCall number: Int32) -> Usage { Usage(inputTokens: Int64(number), outputTokens: 1) }

    /// The maximum usage of a call.
    static let maximumUsage = Usage(inputTokens: bound - 1, outputTokens: 1)

    /// Returns the cost of a call's answer; `nil` if the cost is unknown.
    static func cost(ofCall number: Int32, at provider: Int16) -> Int64? { provider == 0 ? Int64(number) + 1 : nil }

    /// Draws a budget in some histories. It uses a separate generator, so that the rest of the plan is the same with
    /// and without a budget.
    static func budgets(seed: UInt64) -> [Budget] {
        var random = SeededGenerator(seed: seed &* 0x9e37_79b9_7f4a_7c15 &+ 1)
        guard random.percent(25) else { return [] }
        return [
            Budget(
                "b", microDollars: random.within(0...3000), period: random.element(of: [.total, .month, .day]),
                scope: random.element(of: [.all, .provider(SimulationNames.provider(0))]))
        ]
    }
}

extension Budget {
    /// Returns whether the budget counts the calls of a provider.
    func counts(_ provider: ProviderID?) -> Bool {
        switch scope {
        case .all: true
        case .provider(let id): id == provider
        case .tag, .job: false
        }
    }
}
