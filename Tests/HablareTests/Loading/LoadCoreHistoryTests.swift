import HablareTestKit
import Testing

@testable import Hablare

/// Compares random histories of the loading state machine with an independent model that knows only the rules.
@Suite struct LoadCoreHistoryTests {
    @Test("LoadCore keeps the rules of loading over random histories", arguments: Seeds.choose(300))
    func histories(seed: UInt64) {
        var model = LoadModel(seed: seed)
        model.run(steps: 400)
        model.rest()
        #expect(model.faults == [], "HABLARE_SEED=\(seed)")
    }
}
