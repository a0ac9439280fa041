import HablarePresentation
import HablarePresentationTestKit
import Testing

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

@MainActor
@Suite struct TestSchedulerTests {
    private let scheduler = TestScheduler()

    @Test("Actions run only when the time is moved, in the order of their times")
    func order() {
        var order: [String] = []
        scheduler.schedule(after: scheduler.now.advanced(by: .seconds(2))) { order.append("two") }
        scheduler.schedule(after: scheduler.now.advanced(by: .seconds(1))) { order.append("one") }
        scheduler.schedule { order.append("now") }
        scheduler.schedule { order.append("now, too") }
        #expect(order.isEmpty)
        scheduler.advance()
        #expect(order == ["now", "now, too"])
        scheduler.advance(by: .milliseconds(999))
        #expect(order.count == 2)
        scheduler.advance(by: .seconds(10))
        #expect(order == ["now", "now, too", "one", "two"])
        #expect(scheduler.now.nanoseconds == 10_999_000_000)
    }

    @Test("An action that is scheduled while the time moves runs at its own time")
    func nested() {
        var times: [Int64] = []
        scheduler.schedule(after: scheduler.now.advanced(by: .seconds(1))) { [scheduler] in
            times.append(scheduler.now.nanoseconds)
            scheduler.schedule(after: scheduler.now.advanced(by: .seconds(1))) {
                times.append(scheduler.now.nanoseconds)
            }
        }
        scheduler.advance(by: .seconds(5))
        #expect(times == [1_000_000_000, 2_000_000_000])
    }

    @Test("A repetition ends when it is cancelled")
    func repeated() {
        var count = 0
        let repetition = scheduler.schedule(after: scheduler.now, interval: .seconds(1)) { count += 1 }
        scheduler.advance(by: .seconds(3))
        #expect(count == 4)
        repetition.cancel()
        scheduler.advance(by: .seconds(3))
        #expect(count == 4)
        #expect(scheduler.scheduledCount == 0)
    }
}
