import Foundation
import HablareTestKit
import Testing

@testable import Hablare

@Suite struct CostModelTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func model(_ prices: [(PriceUnit, Int64)]) throws -> CostModel {
        CostModel(
            prices: try PriceTable(prices.map { PriceEntry(provider: "p", unit: $0.0, microDollarsPerMillion: $0.1) }))
    }

    private let payee = CostModel.Payee(provider: "p", instance: nil, model: nil)

    private func cost(_ prices: [(PriceUnit, Int64)], _ usage: Usage) throws -> Int64? {
        try model(prices).cost(of: usage, by: payee, at: Self.now)
    }

    @Test("The cost is the sum over all units, rounded half up once at the end")
    func rounding() throws {
        // 0.3 + 0.3: each alone would round to nothing.
        let prices: [(PriceUnit, Int64)] = [(.inputToken, 300_000), (.outputToken, 300_000)]
        #expect(try cost(prices, Usage(inputTokens: 1, outputTokens: 1)) == 1)
        #expect(try cost(prices, Usage(inputTokens: 1)) == 0)
        #expect(try cost([(.inputToken, 500_000)], Usage(inputTokens: 1)) == 1)
        #expect(try cost([(.inputToken, 499_999)], Usage(inputTokens: 1)) == 0)
        #expect(try cost([(.inputToken, 150_000)], Usage(inputTokens: 1_000_000)) == 150_000)
    }

    @Test("Each price unit is charged by its own quantity", arguments: PriceUnit.allCases)
    func units(unit: PriceUnit) throws {
        let usage = Usage(
            inputTokens: 12, outputTokens: 3, characters: 5, bytes: 7, audioMilliseconds: 1500, cachedInputTokens: 6,
            cacheWriteTokens: 4, imageInputTokens: 8, audioInputTokens: 2, audioOutputTokens: 1)
        let expected: Int64 =
            switch unit {
            case .inputToken: 1200
            case .cachedInputToken: 600
            case .cacheWriteToken: 400
            case .imageInputToken: 800
            case .audioInputToken: 200
            case .outputToken: 300
            case .audioOutputToken: 100
            case .character: 500
            case .byte: 700
            case .audioSecond: 150
            case .call: 100
            }
        #expect(try cost([(unit, 100_000_000)], usage) == expected)
    }

    @Test("A cached token is charged once, at its own price if there is one")
    func cached() throws {
        let usage = Usage(inputTokens: 10, cachedInputTokens: 6, cacheWriteTokens: 3)
        let (input, read, write): ((PriceUnit, Int64), (PriceUnit, Int64), (PriceUnit, Int64)) = (
            (.inputToken, 100_000_000), (.cachedInputToken, 10_000_000), (.cacheWriteToken, 125_000_000)
        )
        #expect(try cost([input], usage) == 1000)
        #expect(try cost([input, read], usage) == 460)
        #expect(try cost([input, write], usage) == 1075)
        #expect(try cost([input, read, write], usage) == 535)
        #expect(try cost([input, (.cachedInputToken, 0)], usage) == 400)
        let absurd = Usage(inputTokens: 10, cachedInputTokens: .max, cacheWriteTokens: .max)
        #expect(try cost([input, read, write], absurd) == 100, "no more are of the cache than there are")
        #expect(try cost([input, read], Usage(inputTokens: 10, cachedInputTokens: -5)) == 1000)
    }

    @Test func `A token of a picture or of sound is charged once, at its own price if there is one`() throws {
        let usage = Usage(
            inputTokens: 10, outputTokens: 10, cachedInputTokens: 3, imageInputTokens: 4, audioInputTokens: 2,
            audioOutputTokens: 7)
        let input: (PriceUnit, Int64) = (.inputToken, 1_000_000)
        let output: (PriceUnit, Int64) = (.outputToken, 10_000_000)
        #expect(try cost([input, output], usage) == 110)
        #expect(try cost([input, (.imageInputToken, 3_000_000)], usage) == 6 + 12)
        #expect(try cost([input, (.imageInputToken, 3_000_000), (.audioInputToken, 5_000_000)], usage) == 4 + 12 + 10)
        #expect(try cost([output, (.audioOutputToken, 20_000_000)], usage) == 30 + 140)
        // Three tokens came from the cache, and four are left for text.
        #expect(
            try cost(
                [input, (.cachedInputToken, 0), (.imageInputToken, 3_000_000), (.audioInputToken, 5_000_000)], usage)
                == 1 + 12 + 10)
        let absurd = Usage(inputTokens: 10, cachedInputTokens: 9, imageInputTokens: .max, audioInputTokens: .max)
        #expect(try cost([input, (.imageInputToken, 3_000_000), (.audioInputToken, 5_000_000)], absurd) == 30)
        #expect(try cost([input, (.imageInputToken, 3_000_000)], Usage(inputTokens: 10, imageInputTokens: -5)) == 10)
    }

    @Test func `The bound of a prompt without pictures and sound does not count their prices`() throws {
        let prices: [(PriceUnit, Int64)] = [
            (.inputToken, 1_000_000), (.imageInputToken, 8_000_000), (.audioInputToken, 500_000),
            (.outputToken, 2_000_000), (.audioOutputToken, 1_000_000),
        ]
        func bound(_ maximum: Usage) throws -> Int64? {
            try model(prices).bound(by: payee, at: Self.now) { maximum }
        }
        #expect(try bound(Usage(inputTokens: 9, outputTokens: 1)) == 11)
        #expect(try bound(Usage(inputTokens: 9, outputTokens: 1, imageInputTokens: 2)) == 25)
        // A call may have less of the cheaper kind and more of the dearer one.
        #expect(try bound(Usage(inputTokens: 9, outputTokens: 1, audioInputTokens: 9, audioOutputTokens: 1)) == 11)
    }

    @Test("A cost reported by the provider replaces the computed one")
    func reported() throws {
        #expect(try cost([(.call, 1_000_000)], Usage(costMicroDollars: 7)) == 7)
        #expect(try cost([], Usage(costMicroDollars: 0)) == 0)
    }

    @Test("The cost is unknown, not zero, without a price or without a count of a priced unit")
    func gaps() throws {
        #expect(try cost([], Usage(inputTokens: 1)) == nil)
        #expect(try cost([(.inputToken, 5)], Usage(bytes: 10)) == nil)
        #expect(try cost([(.inputToken, 5)], Usage()) == nil)
        #expect(try cost([(.inputToken, 0)], Usage()) == 0, "a price of 0 says that it is free")
        #expect(try cost([(.inputToken, 5), (.byte, 0)], Usage(bytes: 10)) == nil)
    }

    @Test("Extreme quantities and prices saturate, and negative quantities cost nothing")
    func absurd() throws {
        let all = PriceUnit.allCases.map { ($0, PriceTable.highestPrice) }
        let usage = Usage(
            inputTokens: .max, outputTokens: .max, characters: .max, bytes: .max, audioMilliseconds: .max)
        #expect(try cost(all, usage) == .max)
        #expect(try cost([(.inputToken, 1_000_000), (.call, 1_000_000)], Usage(inputTokens: .min)) == 1)
    }

    @Test("The cost bound of a call comes from its price per call or its maximum usage")
    func bounds() throws {
        func bound(_ prices: [(PriceUnit, Int64)], _ maximum: Usage?) throws -> Int64? {
            try model(prices).bound(by: payee, at: Self.now) { maximum }
        }
        #expect(try bound([(.call, 2_000_000)], nil) == 2)
        #expect(try bound([(.inputToken, 0)], nil) == 0)
        #expect(try bound([], nil) == nil)
        #expect(try bound([(.inputToken, 1_000_000)], nil) == nil)
        #expect(try bound([(.inputToken, 1_000_000)], Usage(inputTokens: 9)) == 9)
        #expect(try bound([], Usage(inputTokens: 9)) == nil)
        let prices: [(PriceUnit, Int64)] = [(.inputToken, 1_000_000), (.cacheWriteToken, 2_000_000)]
        #expect(try bound(prices, Usage(inputTokens: 9)) == 18, "all of it may go to the cache")
        #expect(try bound([(.inputToken, 1_000_000), (.cachedInputToken, 0)], Usage(inputTokens: 9)) == 9)
        #expect(try bound([], Usage(costMicroDollars: 4)) == 4)
    }

    private func tiered(_ prices: [(PriceUnit, Int64, above: Int64?)]) throws -> CostModel {
        CostModel(
            prices: try PriceTable(
                prices.map { PriceEntry(provider: "p", unit: $0.0, microDollarsPerMillion: $0.1, above: $0.above) }))
    }

    @Test func `A prompt that is longer than a price's limit is charged at that price as a whole`() throws {
        let model = try tiered([
            (.inputToken, 1_000_000, nil), (.outputToken, 10_000_000, nil), (.cachedInputToken, 500_000, nil),
            (.inputToken, 2_000_000, 100), (.outputToken, 15_000_000, 100), (.inputToken, 5_000_000, 200),
        ])
        func cost(_ input: Int64, cached: Int64 = 0) -> Int64? {
            model.cost(
                of: Usage(inputTokens: input, outputTokens: 1, cachedInputTokens: cached), by: payee, at: Self.now)
        }
        #expect(cost(100) == 110)
        #expect(cost(101) == 217)
        #expect(cost(201) == 1020)
        // The cached tokens count for the limit, and have no price of their own for long prompts.
        #expect(cost(101, cached: 100) == 67)
        let longAlone = try tiered([(.inputToken, 1_000_000, 100)])
        #expect(longAlone.cost(of: Usage(inputTokens: 100), by: payee, at: Self.now) == nil)
        #expect(longAlone.cost(of: Usage(inputTokens: 101), by: payee, at: Self.now) == 101)
    }

    @Test func `A bound covers the prices of all prompts up to the longest`() throws {
        let dear = try tiered([(.inputToken, 1_000_000, nil), (.inputToken, 2_000_000, 100)])
        #expect(dear.bound(by: payee, at: Self.now) { Usage(inputTokens: 100) } == 100)
        #expect(dear.bound(by: payee, at: Self.now) { Usage(inputTokens: 101) } == 202)
        let cheap = try tiered([(.inputToken, 2_000_000, nil), (.inputToken, 1_000_000, 100)])
        #expect(cheap.bound(by: payee, at: Self.now) { Usage(inputTokens: 101) } == 202)
        let call = try tiered([(.call, 2_000_000, nil), (.call, 5_000_000, 100)])
        #expect(call.bound(by: payee, at: Self.now) { nil } == nil)
        #expect(call.bound(by: payee, at: Self.now) { Usage(inputTokens: 101) } == 5)
        let longAlone = try tiered([(.inputToken, 1_000_000, 100)])
        #expect(longAlone.bound(by: payee, at: Self.now) { Usage(inputTokens: 9) } == nil)
    }

    @Test("No call within its maximum usage costs more than its bound", arguments: Seeds.choose(200))
    func boundHolds(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let prices = try PriceTable(
            [nil, Int64.random(in: 1...99, using: &random)].flatMap { above in
                PriceUnit.allCases.map {
                    PriceEntry(
                        provider: "p", unit: $0, microDollarsPerMillion: .random(in: 1...3_000_000, using: &random),
                        above: above)
                }
            })
        let model = CostModel(prices: prices)
        let maximum = Usage(
            inputTokens: .random(in: 0...99, using: &random), outputTokens: .random(in: 0...99, using: &random),
            characters: .random(in: 0...99, using: &random),
            bytes: .random(in: 0...99, using: &random), audioMilliseconds: .random(in: 0...9999, using: &random))
        var parts = maximum
        parts.imageInputTokens = .random(in: 0...maximum.inputTokens, using: &random)
        parts.audioInputTokens = .random(in: 0...(maximum.inputTokens - parts.imageInputTokens), using: &random)
        parts.audioOutputTokens = .random(in: 0...maximum.outputTokens, using: &random)
        let most = parts
        let read = Int64.random(in: 0...maximum.inputTokens, using: &random)
        let images = Int64.random(in: 0...min(read, most.imageInputTokens), using: &random)
        let written = Int64.random(in: 0...maximum.outputTokens, using: &random)
        let used = Usage(
            inputTokens: read,
            outputTokens: written,
            characters: .random(in: 0...maximum.characters, using: &random),
            bytes: .random(in: 0...maximum.bytes, using: &random),
            audioMilliseconds: .random(in: 0...maximum.audioMilliseconds, using: &random),
            cachedInputTokens: .random(in: 0...read, using: &random),
            cacheWriteTokens: .random(in: 0...read, using: &random), imageInputTokens: images,
            audioInputTokens: .random(in: 0...min(read - images, most.audioInputTokens), using: &random),
            audioOutputTokens: .random(in: 0...min(written, most.audioOutputTokens), using: &random))
        let bound = try #require(model.bound(by: payee, at: Self.now) { most })
        let cost = try #require(model.cost(of: used, by: payee, at: Self.now))
        #expect(cost <= bound, "\(most) \(used)")
    }
}
