import Foundation
import Hablare

// snippet: a price, a bound and a budget
/// A speech provider that charges by the character.
struct Narrator: AIServiceProvider {
    let id: ProviderID = "narrator"
    let responseType = ContentType.audio
    /// Your own function that creates the sound.
    let speak: @Sendable (String) async throws -> Data

    /// Returns the maximum usage of a call, which a budget reserves before the call is sent.
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

    /// The usage that is charged.
    private static func usage(of words: String) -> Usage { Usage(characters: Int64(words.unicodeScalars.count)) }
}

/// Returns a price of 15 dollars for a million characters, and a limit of 10 dollars a month.
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

/// Returns the cost so far and the spent or reserved part of the budget, in dollars.
func narrationCost(with manager: AIRequestManager) async throws -> (cost: String, ofBudget: String?) {
    let cost = try await manager.ledger(LedgerQuery(provider: "narrator")).total.usage.costMicroDollars ?? 0
    let budget = try await manager.budgets().first { $0.budget == "narration" }
    return (MicroDollars.text(cost), budget.map { MicroDollars.text($0.spent) })
}
// end snippet
