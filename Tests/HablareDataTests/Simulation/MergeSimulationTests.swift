import Foundation
import HablareTestKit
import Testing

@Suite("Merges across simulated crashes")
struct MergeSimulationTests {
    @Test(
        "Every acknowledged merge is done once, despite crashes and refused commits",
        arguments: Seeds.choose(60))
    func crashes(_ seed: UInt64) throws {
        let simulation = try MergeSimulation(seed: seed)
        let faults = try simulation.run()
        #expect(faults.isEmpty, "seed \(seed)")
    }

    @Test("A process may die at each of its first steps", arguments: [7] as [UInt64])
    func everyStep(_ seed: UInt64) throws {
        for step in 1...220 {
            let faults = try MergeSimulation(seed: seed, deathAt: step).run()
            #expect(faults.isEmpty, "seed \(seed), step \(step)")
        }
    }

    @Test("Histories are eventful, and a seed reproduces its history")
    func replay() throws {
        var (forgotten, removed) = (0, 0)
        for seed in 0..<10 as Range<UInt64> {
            let first = try MergeSimulation(seed: seed)
            let second = try MergeSimulation(seed: seed)
            _ = try (first.run(), second.run())
            #expect(first.length == second.length && first.counts == second.counts, "seed \(seed)")
            forgotten += first.counts.forgotten
            removed += first.counts.removed
        }
        #expect(forgotten > 5 && removed > 2)
    }
}
