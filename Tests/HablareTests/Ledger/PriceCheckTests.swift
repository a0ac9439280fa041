import Foundation
import Testing

@testable import Hablare

/// The date on which a price was last compared with its source.
@Suite struct PriceCheckTests {
    private func table(_ checked: String) throws -> PriceTable {
        let json =
            #"{"prices": [{"provider": "p", "unit": "call", "microDollarsPerMillion": 1, "checked": \#(checked)}]}"#
        return try PriceTable(json: Data(json.utf8))
    }

    @Test(arguments: ["2026-11-21", "2026-11"])
    func `A day and a month are read`(checked: String) throws {
        #expect(try table("\"\(checked)\"").entries.first?.checked == checked)
    }

    @Test(arguments: ["\"2026-13\"", "\"2026-02-30\"", "\"lately\"", "\"\"", "2026"])
    func `An invalid check date is refused`(checked: String) throws {
        let error = try #require(throws: AIServiceError.self) { try table(checked) }
        #expect(error.code == .invalidConfiguration)
        #expect(error.message.contains("Entry 1 of the price table has an invalid `checked`"))
    }

    @Test func `The check date is optional and changes no cost`() throws {
        #expect(try table("null").entries.first?.checked == nil)
        let payee = CostModel.Payee(names: ["p"], model: nil)
        for checked in ["null", "\"2020-01\""] {
            #expect(CostModel(prices: try table(checked)).cost(of: Usage(), by: payee, at: Date()) == 0)
        }
    }

    @Test func `The source is optional and a text`() throws {
        func table(_ source: String) throws -> PriceTable {
            let json =
                #"{"prices": [{"provider": "p", "unit": "call", "microDollarsPerMillion": 1, "source": \#(source)}]}"#
            return try PriceTable(json: Data(json.utf8))
        }
        #expect(try table("\"https://prices.example\"").entries.first?.source == "https://prices.example")
        #expect(try table("null").entries.first?.source == nil)
        let error = try #require(throws: AIServiceError.self) { try table("7") }
        #expect(error.message.contains("Entry 1 of the price table has a `source` that is not a text"))
    }

    @Test func `Each price of the shipped table has its source and the date of its check`() {
        let entries = PriceTable.shipped.entries
        #expect(!entries.isEmpty && entries.allSatisfy { $0.source != nil && $0.checked != nil })
    }

    @Test func `The shipped table has the prices of long prompts`() {
        func cost(_ model: String, _ input: Int64) -> Int64? {
            CostModel(prices: .shipped).cost(
                of: Usage(inputTokens: input, outputTokens: 1000),
                by: CostModel.Payee(names: ["openai", "anthropic"], model: model),
                at: Date(timeIntervalSince1970: 1_795_800_000))
        }
        #expect(cost("gpt-6.2-sol", 272_000) == 554_000)
        #expect(cost("gpt-6.2-sol", 300_000) == 1_215_000)
        #expect(cost("gpt-6-sol", 300_000) == 1_215_000)
        #expect(cost("gpt-5.5-2026-04-23", 300_000) == 3_045_000)
        #expect(cost("gpt-5.4", 300_000) == 1_522_500)
        #expect(cost("claude-haiku-5-5", 100_000) == 10_500)
        #expect(cost("claude-haiku-5-5", 200_000) == 102_500)
    }

    @Test func `The shipped table has a check date for each older price`() {
        let table = PriceTable.shipped
        let older = table.entries.compactMap(\.checked).filter { $0 < table.date }
        #expect(older.count > 30 && older.contains("2026-09-05"))
    }
}
