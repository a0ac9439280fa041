import HablareTestKit
import Testing

@testable import HablareData

@Suite struct ActionQueueHistoryTests {
    @Test(
        "In any history each action ends as the user wants, and each turn takes effect once",
        arguments: Seeds.choose(60))
    func everyHistory(seed: UInt64) throws {
        var history = ActionHistory(seed: seed)
        try history.live(250)
        #expect(history.handedOver > 0)
    }
}
