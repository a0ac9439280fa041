import HablareSimulation
import HablareTestKit
import Testing

/// Histories of the shipped engine in several processes that crash, sleep and run out of disk space.
@Suite("Simulation")
struct SimulationTests {
    @Test("Every simulated history keeps every promise", arguments: Seeds.choose(200))
    func everyHistoryKeepsEveryPromise(seed: UInt64) {
        let verdict = SimulationVerdict(seed: seed)
        #expect(verdict.violations.isEmpty, "HABLARE_SEED=\(seed), or: make simulate SEEDS=1 SEED=\(seed) TRACE=1")
    }

    @Test("A seed gives the same history twice", arguments: 0..<50)
    func aSeedIsOneHistory(seed: Int) {
        let plan = SimulationPlan(seed: UInt64(seed))
        let first = Simulation(plan).run()
        let second = Simulation(plan).run()
        #expect(first.events.count == second.events.count)
        #expect(first.steps == second.steps)
        let difference = zip(first.events, second.events).enumerated().first { $0.element.0 != $0.element.1 }
        #expect(difference == nil, "they differ at event \(difference?.offset ?? 0)")
        #expect(first.digest == second.digest)
    }

    @Test("Another interleaving of a plan is another history")
    func interleavingsDiffer() {
        var plan = SimulationPlan(seed: 1)
        let first = Simulation(plan).run()
        plan.interleaving += 1
        #expect(Simulation(plan).run().digest != first.digest)
    }

    @Test("Histories contain many events, crashes and failures")
    func historiesAreEventful() {
        var tally = SimulationTally()
        for seed in UInt64(0)..<100 { tally.add(SimulationVerdict(seed: seed)) }
        #expect(tally.median >= 100)
        #expect(tally.crashes >= 50)
    }
}
