import Hablare
import HablareTestKit

/// What calls cost in histories, and what may be spent. Every answer costs something else, so that sums tell which
/// calls they are made of.
enum SimulationCosts {
    /// The most that a call is said to cost before it is sent, in micro-dollars. More than any does.
    static let bound: Int64 = 400

    /// The first provider's tokens cost a micro-dollar each, nobody knows what the others' cost.
    static let prices: PriceTable = {
        do {
            return try PriceTable(
                [PriceUnit.inputToken, .outputToken].map {
                    PriceEntry(
                        provider: SimulationNames.provider(0).rawValue, unit: $0, microDollarsPerMillion: 1_000_000)
                })
        } catch {
            return .empty  // unreachable: the price is a valid one
        }
    }()

    /// What the answer of a call used; its input tokens tell which call it was.
    static func usage(ofCall number: Int32) -> Usage { Usage(inputTokens: Int64(number), outputTokens: 1) }

    /// What a call can use.
    static let maximumUsage = Usage(inputTokens: bound - 1, outputTokens: 1)

    /// What a call's answer costs; `nil`: nobody knows.
    static func cost(ofCall number: Int32, at provider: Int16) -> Int64? { provider == 0 ? Int64(number) + 1 : nil }

    /// A budget in some histories. Drawn apart from the rest of the plan, which is the same with and without.
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
    /// Whether it counts the calls of a provider.
    func counts(_ provider: ProviderID?) -> Bool {
        switch scope {
        case .all: true
        case .provider(let id): id == provider
        case .tag, .job: false
        }
    }
}
