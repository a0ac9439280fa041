import Hablare
import HablareTestKit

/// The costs of simulated calls, and the simulated budgets. The answer of each call has a different cost. A sum of
/// costs therefore shows which calls it includes.
enum SimulationCosts {
    /// The maximum cost of a call in micro-dollars, as it is stated before the call is sent. The actual cost of every
    /// call is lower.
    static let bound: Int64 = 400

    /// The price table. Each token of the first provider costs one micro-dollar. The other providers have no price.
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

    /// Returns the cost of a call's answer, or `nil` if the cost is unknown.
    static func cost(ofCall number: Int32, at provider: Int16) -> Int64? { provider == 0 ? Int64(number) + 1 : nil }

    /// Returns random budgets. Most histories have none. The function uses a random generator of its own, so that the
    /// other parts of the plan do not depend on it.
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
    /// Returns whether the budget counts calls to a provider.
    func counts(_ provider: ProviderID?) -> Bool {
        switch scope {
        case .all: true
        case .provider(let id): id == provider
        case .tag, .job: false
        }
    }
}
