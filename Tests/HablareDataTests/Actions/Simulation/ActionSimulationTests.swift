import HablareTestKit
import Testing

@Suite("Action queues across simulated crashes")
struct ActionSimulationTests {
    @Test(
        "Every acknowledged action ends as the user wants, despite crashes and failures",
        arguments: Seeds.choose(40), ActionSimulation.Kind.allCases)
    func crashes(seed: UInt64, kind: ActionSimulation.Kind) throws {
        let faults = try ActionSimulation(seed: seed, kind: kind).run()
        #expect(faults.isEmpty, "seed \(seed)")
    }

    @Test("A process may die at any step", arguments: ActionSimulation.Kind.allCases)
    func everyStep(kind: ActionSimulation.Kind) throws {
        for step in stride(from: 1, through: 400, by: 3) {
            let faults = try ActionSimulation(seed: 7, kind: kind, deathAt: step).run()
            #expect(faults.isEmpty, "step \(step)")
        }
    }

    @Test("Histories are eventful, and a seed reproduces its history")
    func replay() throws {
        var (acknowledged, refused, repeated) = (0, 0, 0)
        for seed in 0..<10 as Range<UInt64> {
            let first = try ActionSimulation(seed: seed, kind: .service)
            let second = try ActionSimulation(seed: seed, kind: .service)
            _ = try (first.run(), second.run())
            #expect(first.length == second.length && first.counts == second.counts, "seed \(seed)")
            acknowledged += first.counts.acknowledged
            refused += first.counts.refused
            repeated += first.counts.repeated
        }
        #expect(acknowledged > 50 && refused > 50 && repeated > 20)
    }
}
