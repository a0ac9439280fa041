import HablareTestKit
import Testing

@testable import Hablare

/// The loader that ships, in interleavings drawn from seeds. No key is loaded twice at once, the bound holds, and no
/// caller or slot is lost. A caller that left gets nothing, and a removed value does not reappear.
@Suite(.timeLimit(.minutes(5)))
struct LoaderSimulationTests {
    @Test(
        "CoalescingLoader keeps its rules over random interleavings",
        arguments: Seeds.choose(400))
    func interleavings(seed: UInt64) throws {
        let faults = try LoaderSimulation(seed: seed).run()
        #expect(faults == [], "HABLARE_SEED=\(seed)")
    }

    @Test("A seed gives the same history each time")
    func repeatable() throws {
        let stamps = try (0..<2).map { _ in
            let simulation = try LoaderSimulation(seed: 7)
            _ = try simulation.run()
            return simulation.length
        }
        #expect(stamps[0] == stamps[1])
    }
}
