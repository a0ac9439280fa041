import Foundation
import Hablare

// snippet: a price, a bound and a budget
/// Speech that is charged by the character.
struct Narrator: AIServiceProvider {
    let id: ProviderID = "narrator"
    let responseType = ContentType.audio
    /// Makes the sound; yours.
    let speak: @Sendable (String) async throws -> Data

    /// What a call uses at most: so much a budget reserves before it is sent.
    func maximumUsage(of request: AIRequest) -> Usage? { Self.usage(of: request.prompt.plainText) }

    func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        let words = call.request.prompt.plainText
        do {
            let sound = try await speak(words)
            return .success(ProviderAnswer(.audio(Body(sound), .mp3), usage: Self.usage(of: words)))
        } catch {
            return .failure(AIServiceError(.connectionLost, "The voice did not answer.", cause: "\(type(of: error))"))
        }
    }

    /// What is charged for.
    private static func usage(of words: String) -> Usage { Usage(characters: Int64(words.unicodeScalars.count)) }
}

/// Fifteen dollars for a million characters, and no more than ten dollars a month.
func narrationConfiguration() throws -> EngineConfiguration {
    EngineConfiguration(
        prices: try PriceTable([
            PriceEntry(provider: "narrator", unit: .character, microDollarsPerMillion: 15_000_000)
        ]),
        budgets: [
            Budget(
                "narration", microDollars: 10_000_000, period: .month, scope: .provider("narrator"),
                unknownCosts: .refuse)
        ])
}

/// What it cost so far in dollars, and what of the budget is spent or reserved.
func narrationCost(with manager: AIRequestManager) async throws -> (cost: String, ofBudget: String?) {
    let cost = try await manager.ledger(LedgerQuery(provider: "narrator")).total.usage.costMicroDollars ?? 0
    let budget = try await manager.budgets().first { $0.budget == "narration" }
    return (MicroDollars.text(cost), budget.map { MicroDollars.text($0.spent) })
}
// end snippet
