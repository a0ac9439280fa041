import HablareTestKit
import Testing

@testable import Hablare

/// The machine of loads under everything that can happen in any order, beside a bookkeeper that knows the rules and
/// nothing of how they are kept.
@Suite struct LoadCoreHistoryTests {
    @Test("Whatever happens in whatever order, the rules of loading hold", arguments: Seeds.choose(300))
    func histories(seed: UInt64) {
        var model = LoadModel(seed: seed)
        model.run(steps: 400)
        model.rest()
        #expect(model.faults == [], "HABLARE_SEED=\(seed)")
    }
}
