import Foundation
import Testing

@testable import Hablare

@Suite struct PriceTableTests {
    private func day(_ name: String) throws -> Date { try #require(UTCDay(name)).start }

    private func message(_ json: String) -> String {
        do {
            _ = try PriceTable(json: Data(json.utf8))
            return ""
        } catch {
            #expect(error.code == .invalidConfiguration)
            return error.message
        }
    }

    private func row(_ more: String) -> String {
        #"{"prices": [{"provider": "p", "unit": "call", "microDollarsPerMillion": 1}, {\#(more)}]}"#
    }

    @Test("The shipped price table is readable, has a date and sources, and prices a known model")
    func shipped() throws {
        let table = PriceTable.shipped
        #expect(table.entries.count > 5 && UTCDay(table.date) != nil && !table.sources.isEmpty)
        let prices = table.prices(of: ["mine", "openai"], model: "gpt-4o-mini", at: try day("2026-11-21"))
        #expect(prices.map(\.microDollarsPerMillion) == [150_000, 75_000, 600_000])
    }

    @Test("A price table is read with its dates, and an entry without a model covers all models")
    func reads() throws {
        let json = """
            {"date": "2026-01-02", "sources": ["s"], "prices": [
                {"provider": "p", "model": null, "unit": "character", "microDollarsPerMillion": 15000000,
                 "from": "2026-01-01", "until": "2026-02-01"}]}
            """
        let table = try PriceTable(json: Data(json.utf8))
        let entry = PriceEntry(
            provider: "p", unit: .character, microDollarsPerMillion: 15_000_000, from: try day("2026-01-01"),
            until: try day("2026-02-01"))
        let long = try PriceTable(
            json: Data(
                #"{"prices": [{"provider": "p", "unit": "call", "microDollarsPerMillion": 1, "above": 272000}]}"#.utf8))
        #expect(
            long.entries == [PriceEntry(provider: "p", unit: .call, microDollarsPerMillion: 1, above: 272_000)])
        #expect(table.entries == [entry] && table.date == "2026-01-02" && table.sources == ["s"])
    }

    @Test(
        "A model with a date at the end of its name has the price of the model without it",
        arguments: [
            ("m-2026-04-23", 1), ("m-20260423", 1), ("m", 1), ("m-2026-05-13", 2), ("m-2026-13-01", 3), ("m-mini", 3),
            ("n-2026-04-23", 3),
        ] as [(String, Int64)])
    func dated(model: String, expected: Int64) throws {
        func entry(_ model: String?, _ price: Int64, provider: String = "p") -> PriceEntry {
            PriceEntry(provider: provider, model: model, unit: .call, microDollarsPerMillion: price)
        }
        let table = try PriceTable([
            entry("m", 1), entry("m-2026-05-13", 2), entry(nil, 3), entry("n", 4, provider: "kind"),
        ])
        let prices = table.prices(of: ["p", "kind"], model: model, at: try day("2026-11-27"))
        #expect(prices.map(\.microDollarsPerMillion) == [expected])
    }

    @Test("An invalid price table is refused with the entry and the reason")
    func badInput() {
        #expect(message("[").contains("not valid JSON"))
        #expect(message("[]").contains("no list `prices`"))
        #expect(message(#"{"prices": [], "price": 1}"#).contains("unknown key `price`"))
        #expect(message(#"{"prices": [7]}"#).contains("Entry 1 of the price table is not an object"))
        let bad: [(String, String)] = [
            (#""unit": "call", "microDollarsPerMillion": 1"#, "has no provider"),
            (#""provider": "", "unit": "call", "microDollarsPerMillion": 1"#, "has no provider"),
            (#""provider": "p", "unit": "letter", "microDollarsPerMillion": 1"#, "an unknown unit"),
            (#""provider": "p", "microDollarsPerMillion": 1"#, "an unknown unit"),
            (#""provider": "p", "unit": "byte", "microDollarsPerMillion": -1"#, "is negative"),
            (#""provider": "p", "unit": "byte", "microDollarsPerMillion": 0.5"#, "has no price"),
            (#""provider": "p", "unit": "byte", "microDollarsPerMillion": true"#, "has no price"),
            (#""provider": "p", "unit": "byte", "microDollarsPerMillion": "1""#, "has no price"),
            (#""provider": "p", "unit": "byte", "microDollarsPerMillion": 1e30"#, "has no price"),
            (
                #""provider": "p", "unit": "byte", "microDollarsPerMillion": 2000000000000000"#,
                "above a thousand dollars"
            ),
            (
                #""provider": "p", "unit": "byte", "microDollarsPerMillion": 1, "from": "today""#,
                "has an invalid `from`"
            ),
            (
                #""provider": "p", "unit": "byte", "microDollarsPerMillion": 1, "model": 3"#,
                "a model that is not a text"
            ),
            (
                #""provider": "p", "unit": "byte", "microDollarsPerMillion": 1, "above": "272k""#,
                "has an invalid `above`"
            ),
            (
                #""provider": "p", "unit": "byte", "microDollarsPerMillion": 1, "above": 0.5"#, "has an invalid `above`"
            ),
            (
                #""provider": "p", "unit": "byte", "microDollarsPerMillion": 1, "above": 0"#,
                "has an `above` that is not positive"
            ),
            (#""provider": "p", "unit": "byte", "microDollarsPerMillion": 1, "modle": "m""#, "unknown key `modle`"),
            (
                #""provider": "p", "unit": "byte", "microDollarsPerMillion": 1, "from": "2026-02-01", "until": "2026-02-01""#,
                "ends before it begins"
            ),
            (
                #""provider": "p", "unit": "call", "microDollarsPerMillion": 2, "from": "2026-02-01""#,
                "overlaps entry 1"
            ),
        ]
        for (entry, expected) in bad {
            let message = message(row(entry))
            #expect(
                message.contains("Entry 2 of the price table \(expected)") || message.contains(expected), "\(entry)")
            #expect(message.hasPrefix("Entry 2 "), "\(message)")
        }
    }

    @Test("Adjacent periods are accepted, and prices of other units and models may coexist")
    func neighbours() throws {
        let change = try day("2026-02-01")
        let table = try PriceTable([
            PriceEntry(provider: "p", unit: .call, microDollarsPerMillion: 3, from: change),
            PriceEntry(provider: "p", unit: .call, microDollarsPerMillion: 1, until: change),
            PriceEntry(provider: "p", unit: .byte, microDollarsPerMillion: 5),
            PriceEntry(provider: "p", model: "m", unit: .call, microDollarsPerMillion: 9),
            PriceEntry(provider: "q", unit: .call, microDollarsPerMillion: 9),
        ])
        func prices(_ date: Date) -> [Int64] {
            table.prices(of: ["p"], model: nil, at: date).map(\.microDollarsPerMillion)
        }
        #expect(prices(change) == [3, 5])
        #expect(prices(change.addingTimeInterval(-0.001)) == [1, 5])
    }

    @Test("Overlapping prices are refused in any order")
    func overlaps() throws {
        let days = try ["2026-01-01", "2026-02-01", "2026-03-01", "2026-04-01"].map(day)
        func entry(_ from: Int?, _ until: Int?) -> PriceEntry {
            PriceEntry(
                provider: "p", unit: .call, microDollarsPerMillion: 1, from: from.map { days[$0] },
                until: until.map { days[$0] })
        }
        for bad in [
            [entry(2, 3), entry(0, nil), entry(nil, 0)], [entry(nil, nil), entry(0, 1)], [entry(0, 1), entry(0, 1)],
        ] {
            #expect(throws: AIServiceError.self) { _ = try PriceTable(bad) }
        }
        _ = try PriceTable([entry(2, 3), entry(nil, 0), entry(1, 2), entry(0, 1), entry(3, nil)])
        var long = entry(nil, nil)
        long.above = 272_000
        _ = try PriceTable([entry(nil, nil), long])
        #expect(throws: AIServiceError.self) { _ = try PriceTable([long, entry(nil, nil), long]) }
    }

    @Test("A price for the provider's id precedes one for its kind, and a model's price precedes both")
    func precedence() throws {
        let table = try PriceTable([
            PriceEntry(provider: "kind", unit: .call, microDollarsPerMillion: 1),
            PriceEntry(provider: "kind", model: "m", unit: .call, microDollarsPerMillion: 2),
            PriceEntry(provider: "id", unit: .call, microDollarsPerMillion: 3),
            PriceEntry(provider: "id", model: "m", unit: .call, microDollarsPerMillion: 4),
        ])
        func price(_ id: ProviderID, _ kind: String, _ model: String?) -> [Int64] {
            let payee = CostModel.Payee(
                provider: id, instance: ProviderInstance(kind: kind, location: "https://x"), model: model)
            return table.prices(of: payee.names, model: payee.model, at: Date()).map(\.microDollarsPerMillion)
        }
        #expect(price("id", "kind", "m") == [4])
        #expect(price("id", "kind", "n") == [3])
        #expect(price("id", "kind", nil) == [3])
        #expect(price("other", "kind", "m") == [2])
        #expect(price("other", "kind", nil) == [1])
        #expect(price("other", "unknown", "m") == [])
    }
}
