import Hablare
import HablareSupport
import HablareTestKit
import Testing

/// Compares the cache's bounded memory with a list that is kept in order by moving its elements.
@Suite struct LeastRecentlyUsedTests {
    private struct Model {
        let maximumCount: Int
        let maximumCost: Int
        /// Ordered by use: the most recently used entry is last.
        var entries: [(key: Int, value: Int, cost: Int)] = []

        mutating func use(_ key: Int) -> Int? {
            guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
            let entry = entries.remove(at: index)
            entries.append(entry)
            return entry.value
        }

        mutating func set(_ key: Int, to value: Int, cost: Int) -> [Int] {
            var gone = remove(key).map { [$0] } ?? []
            guard maximumCount > 0, cost <= maximumCost else { return gone }
            entries.append((key, value, cost))
            while entries.count > maximumCount || entries.reduce(0, { $0 + $1.cost }) > maximumCost {
                gone.append(entries.removeFirst().value)
            }
            return gone
        }

        mutating func remove(_ key: Int) -> Int? {
            entries.firstIndex { $0.key == key }.map { entries.remove(at: $0).value }
        }
    }

    @Test("LeastRecentlyUsed agrees with an ordered list, including its evictions", arguments: Seeds.choose(20))
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let limits = (count: Int.random(in: 0...6, using: &random), cost: Int.random(in: 0...40, using: &random))
        var model = Model(maximumCount: limits.count, maximumCost: limits.cost)
        var cache = LeastRecentlyUsed<Int, Int>(maximumCount: limits.count, maximumCost: limits.cost)
        for step in 0..<2000 {
            let key = Int.random(in: 0...9, using: &random)
            switch Int.random(in: 0...4, using: &random) {
            case 0, 1: #expect(cache.use(key) == model.use(key), "HABLARE_SEED=\(seed), step \(step)")
            case 2:
                #expect(cache.remove(key) == model.remove(key), "HABLARE_SEED=\(seed), step \(step)")
            default:
                let cost = Int.random(in: 0...12, using: &random)
                let (gone, expected) = (cache.set(key, to: step, cost: cost), model.set(key, to: step, cost: cost))
                #expect(gone == expected, "HABLARE_SEED=\(seed), step \(step)")
            }
            #expect(cache.count == model.entries.count, "HABLARE_SEED=\(seed), step \(step)")
            #expect(cache.cost == model.entries.reduce(0) { $0 + $1.cost }, "HABLARE_SEED=\(seed), step \(step)")
        }
    }
}
