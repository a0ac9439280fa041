import Foundation
import Hablare
import Testing

/// A request without a model is charged as the model that answers it.
@Suite(.timeLimit(.minutes(5))) struct DefaultModelTests {
    private struct Model: AIServiceProvider {
        let id: ProviderID = "p"
        let responseType = ContentType.text
        let defaultModel: String? = "small"

        func maximumUsage(of request: AIRequest) -> Usage? { Usage(inputTokens: 10) }
        func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
            .success(ProviderAnswer(.text("x"), usage: Usage(inputTokens: 5)))
        }
    }

    private static func price(_ model: String, _ microDollars: Int64) -> PriceEntry {
        PriceEntry(
            provider: "p", model: model, unit: .inputToken, microDollarsPerMillion: microDollars * 1_000_000)
    }

    @Test("A request without a model costs what the default model costs")
    func cost() async throws {
        let engine = try Engine(
            [Model()], configuration: try LedgerTests.priced([Self.price("small", 2), Self.price("large", 30)]))
        try await engine.run { [manager = engine.manager] in
            for (model, cost) in [(nil, 10), ("small", 10), ("large", 150)] as [(String?, Int64)] {
                let response = try await manager.execute(AIRequest(prompt: "x", model: model), with: "p")
                #expect(response.usage.costMicroDollars == cost)
            }
        }
    }

    @Test("A budget reserves the maximum cost of the default model")
    func budget() async throws {
        let engine = try Engine(
            [Model()],
            configuration: try LedgerTests.priced([Self.price("small", 2)], budgets: [Budget("b", microDollars: 19)]))
        try await engine.run { [manager = engine.manager] in
            let refusal = await code { _ = try await manager.execute(AIRequest(prompt: "x"), with: "p") }
            #expect(refusal == .budgetExceeded)
        }
    }
}
