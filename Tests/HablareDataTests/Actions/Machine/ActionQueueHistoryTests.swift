import HablareTestKit
import Testing

@testable import HablareData

@Suite struct ActionQueueHistoryTests {
    @Test(
        "Over any history each action ends as the person wants it, and the world changes once for each turn",
        arguments: Seeds.choose(60))
    func everyHistory(seed: UInt64) throws {
        var history = ActionHistory(seed: seed)
        try history.live(250)
        #expect(history.handedOver > 0)
    }
}
