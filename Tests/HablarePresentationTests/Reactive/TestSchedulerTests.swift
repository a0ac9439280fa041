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

    @Test("Nothing runs before the time is moved, and then in the order of its time")
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

    @Test("What is scheduled while the time is moved runs at its own time")
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

    @Test("What is repeated ends when it is cancelled, also by itself")
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
