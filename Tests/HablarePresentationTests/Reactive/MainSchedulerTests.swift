import Hablare
import HablarePresentation
import HablareSupport
import HablareTestKit
import Testing

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

@Suite(.timeLimit(.minutes(2))) struct MainSchedulerTests {
    @Test("An action from anywhere runs on the main queue, and not immediately")
    func main() async {
        let isMain = await withCheckedContinuation { continuation in
            MainScheduler().schedule { continuation.resume(returning: MainQueue.isCurrent) }
        }
        #expect(isMain)
    }

    @MainActor
    @Test("An action scheduled on the main queue runs after the current one")
    func later() async {
        let order = Locked<[String]>([])
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
    @Test("An action for a past time runs soon, and a repetition ends when it is cancelled")
    func repeated() async {
        let scheduler = MainScheduler()
        let count = Locked(0)
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
