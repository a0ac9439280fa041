import HablareTestKit
import Testing

@testable import LecternCore

@Suite("A set of verses")
struct VerseSetTests {
    @Test("It behaves like a set of numbers", arguments: Seeds.choose(20))
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let capacity = Int.random(in: 0...300, using: &random)
        var (set, model) = (VerseSet(capacity: capacity), Set<Int>())
        for _ in 0..<40 {
            let (one, other) = (Int.random(in: -5...310, using: &random), Int.random(in: -5...310, using: &random))
            let range = min(one, other)..<max(one, other)
            let valid = Set(0..<capacity)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                set.insert(range)
                model.formUnion(valid.intersection(range))
            case 1:
                var mask = VerseSet(capacity: capacity)
                mask.insert(range)
                set.formIntersection(mask)
                model.formIntersection(range)
            default:
                set.insert(one)
                model.formUnion(valid.intersection([one]))
            }
            #expect(set.count == model.count, "HABLARE_SEED=\(seed)")
            #expect(set.count(in: range) == model.count { range.contains($0) }, "HABLARE_SEED=\(seed)")
            let (offset, limit) = (max(0, one), max(0, other))
            #expect(
                set.verses(from: offset, limit: limit) == Array(model.sorted().dropFirst(offset).prefix(limit)),
                "HABLARE_SEED=\(seed)")
        }
    }
}
