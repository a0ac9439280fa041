import HablareTestKit
import Testing

@testable import Hablare

/// Random histories of an engine core, see ``EngineModel``.
@Suite struct EngineModelTests {
    @Test(
        "EngineCore keeps its invariants over random histories and leaves nothing behind",
        arguments: Seeds.choose(400))
    func invariants(seed: UInt64) throws {
        var model = EngineModel(seed: seed)
        for _ in 0..<300 { try model.step() }
        if seed % 2 == 0 {
            try model.shutDown()
            for _ in 0..<50 { try model.step() }
        }
        try model.runDry()
    }

    @Test("The random histories finish flights and also stop, abandon and refuse some")
    func modelIsAwake() throws {
        var finished = 0
        var counts: [String: Int] = [:]
        for seed in UInt64(0)..<40 {
            var model = EngineModel(seed: seed)
            for _ in 0..<300 { try model.step() }
            finished += model.finished
            counts.merge(model.counts, uniquingKeysWith: +)
        }
        #expect(finished > 100)
        for what in ["stopped", "abandoned", "refused", "start failed", "overlapping", "registered anew", "suspended"] {
            #expect(counts[what, default: 0] > 0, "\(what)")
        }
    }
}
