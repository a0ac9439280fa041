import Hablare
import HablarePresentation
import HablareTestKit
import Testing

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

@Suite(.timeLimit(.minutes(2))) struct MainSchedulerTests {
    @Test("What is scheduled from anywhere runs on the main queue, and not at once")
    func main() async {
        let isMain = await withCheckedContinuation { continuation in
            MainScheduler().schedule { continuation.resume(returning: MainQueue.isCurrent) }
        }
        #expect(isMain)
    }

    @MainActor
    @Test("Also where the caller is on the main queue, it comes after what is going on")
    func later() async {
        let order = Guarded<[String]>([])
        await withCheckedContinuation { continuation in
            MainScheduler().schedule {
                order.withLock { $0.append("scheduled") }
                continuation.resume()
            }
            order.withLock { $0.append("going on") }
        }
        #expect(order.withLock { $0 } == ["going on", "scheduled"])
    }

    @MainActor
    @Test("What is scheduled for a moment that is past runs soon, and what is repeated ends when it is cancelled")
    func repeated() async {
        let scheduler = MainScheduler()
        let count = Guarded(0)
        await withCheckedContinuation { continuation in
            var repetition: (any Cancellable)?
            repetition = scheduler.schedule(after: SchedulerInstant(), interval: .nanoseconds(1)) {
                let now = count.withLock { count in
                    count += 1
                    return count
                }
                guard now == 3 else { return }
                repetition?.cancel()
                continuation.resume()
            }
        }
        await withCheckedContinuation { continuation in
            scheduler.schedule(after: scheduler.now.advanced(by: .milliseconds(5))) { continuation.resume() }
        }
        #expect(count.withLock { $0 } == 3)
    }
}
