import Foundation
import Hablare
import HablarePresentation
import HablareSupport
import HablareTestKit
import Testing

@Suite(.timeLimit(.minutes(2))) struct StoreSchedulerTests {
    @MainActor
    @Test("A store in memory runs in its caller's context")
    func inline() async throws {
        #expect(try await InlineStoreScheduler().run { MainQueue.isCurrent })
    }

    @MainActor
    @Test("A store with its own context runs off the main thread, even if the caller is on it")
    func offMain() async throws {
        #expect(try await !QueueStoreScheduler(label: "store").run { MainQueue.isCurrent })
    }

    @Test("Calls run one after another, in their order")
    func order() async throws {
        let scheduler = QueueStoreScheduler(label: "store")
        let (running, most) = (Locked(0), Locked(0))
        let (made, order) = (Locked<[Int]>([]), Locked<[Int]>([]))
        let blocker = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let isBlocked = Locked(false)
            group.addTask {
                try await scheduler.run {
                    isBlocked.withLock { $0 = true }
                    blocker.wait()
                }
            }
            while !isBlocked.withLock({ $0 }) { await Task.yield() }
            // The executor is serial, so no other task runs between two suspensions of a task.
            let oneByOne = QueueExecutor()
            for number in 0..<100 {
                group.addTask(executorPreference: oneByOne) {
                    // No other task makes a call between this line and the call.
                    made.withLock { $0.append(number) }
                    try await scheduler.run {
                        let now = running.withLock { running in
                            running += 1
                            return running
                        }
                        most.withLock { $0 = max($0, now) }
                        order.withLock { $0.append(number) }
                        running.withLock { $0 -= 1 }
                    }
                }
            }
            while made.withLock({ $0.count }) < 100 { await Task.yield() }
            blocker.signal()
            try await group.waitForAll()
        }
        #expect(most.withLock { $0 } == 1)
        #expect(order.withLock { $0 } == made.withLock { $0 })
    }

    @Test("An error of a call reaches the caller unchanged", arguments: [true, false])
    func throwing(isInline: Bool) async {
        let scheduler: any StoreScheduler = isInline ? InlineStoreScheduler() : QueueStoreScheduler(label: "store")
        let error = AIServiceError(.storageFull, "Make room.")
        await #expect(throws: error) { try await scheduler.run { throw error } }
    }

    @Test("A waiting call that is cancelled ends at once, and never runs")
    func cancelledWaiting() async throws {
        let scheduler = QueueStoreScheduler(label: "store")
        let blocker = DispatchSemaphore(value: 0)
        let (isBlocked, isRun) = (Locked(false), Locked(false))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await scheduler.run {
                    isBlocked.withLock { $0 = true }
                    blocker.wait()
                }
            }
            while !isBlocked.withLock({ $0 }) { await Task.yield() }
            await withTaskGroup(of: Bool.self) { waiting in
                waiting.addTask {
                    do { try await scheduler.run { isRun.withLock { $0 = true } } } catch {
                        return error is CancellationError
                    }
                    return false
                }
                waiting.cancelAll()
                for await isCancelled in waiting { #expect(isCancelled) }
            }
            blocker.signal()
            try await group.waitForAll()
        }
        try await scheduler.run {}
        #expect(!isRun.withLock { $0 })
    }

    @Test("A running call completes and returns its result, even if it is cancelled meanwhile")
    func cancelledRunning() async throws {
        let scheduler = QueueStoreScheduler(label: "store")
        let blocker = DispatchSemaphore(value: 0)
        let isBegun = Locked(false)
        try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask {
                try await scheduler.run {
                    isBegun.withLock { $0 = true }
                    blocker.wait()
                    return 7
                }
            }
            while !isBegun.withLock({ $0 }) { await Task.yield() }
            group.cancelAll()
            blocker.signal()
            let result = try await group.next()
            #expect(result == 7)
        }
    }

    @Test("A task that was cancelled beforehand makes no call", arguments: [true, false])
    func beforehand(isInline: Bool) async {
        let scheduler: any StoreScheduler = isInline ? InlineStoreScheduler() : QueueStoreScheduler(label: "store")
        let isRun = Locked(false)
        await withTaskGroup(of: Bool.self) { group in
            group.cancelAll()
            group.addTask {
                do { try await scheduler.run { isRun.withLock { $0 = true } } } catch {
                    return error is CancellationError
                }
                return false
            }
            for await isCancelled in group { #expect(isCancelled) }
        }
        #expect(!isRun.withLock { $0 })
    }
}
