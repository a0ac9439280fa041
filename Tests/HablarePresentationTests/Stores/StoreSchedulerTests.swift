import Foundation
import Hablare
import HablarePresentation
import HablareTestKit
import Testing

@Suite(.timeLimit(.minutes(2))) struct StoreSchedulerTests {
    @MainActor
    @Test("A store in memory is called where its caller runs")
    func inline() async throws {
        #expect(try await InlineStoreScheduler().run { MainQueue.isCurrent })
    }

    @MainActor
    @Test("A store with a context of its own is not called on the main thread, also where the caller is")
    func offMain() async throws {
        #expect(try await !QueueStoreScheduler(label: "store").run { MainQueue.isCurrent })
    }

    @Test("Calls run one after the other, in the order they were made")
    func order() async throws {
        let scheduler = QueueStoreScheduler(label: "store")
        let (running, most) = (Guarded(0), Guarded(0))
        let (made, order) = (Guarded<[Int]>([]), Guarded<[Int]>([]))
        let blocker = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let isBlocked = Guarded(false)
            group.addTask {
                try await scheduler.run {
                    isBlocked.withLock { $0 = true }
                    blocker.wait()
                }
            }
            while !isBlocked.withLock({ $0 }) { await Task.yield() }
            // What a task does between two waits, no other one interrupts.
            let oneByOne = QueueExecutor()
            for number in 0..<100 {
                group.addTask(executorPreference: oneByOne) {
                    // No other call is made between this note and the call.
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

    @Test("What a call throws comes to the caller as it is", arguments: [true, false])
    func throwing(isInline: Bool) async {
        let scheduler: any StoreScheduler = isInline ? InlineStoreScheduler() : QueueStoreScheduler(label: "store")
        let error = AIServiceError(.storageFull, "Make room.")
        await #expect(throws: error) { try await scheduler.run { throw error } }
    }

    @Test("A call that waits for its turn and is cancelled ends at once, and is never carried out")
    func cancelledWaiting() async throws {
        let scheduler = QueueStoreScheduler(label: "store")
        let blocker = DispatchSemaphore(value: 0)
        let (isBlocked, isRun) = (Guarded(false), Guarded(false))
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

    @Test("A call that was begun is carried out, and its result returned, also where it is cancelled meanwhile")
    func cancelledRunning() async throws {
        let scheduler = QueueStoreScheduler(label: "store")
        let blocker = DispatchSemaphore(value: 0)
        let isBegun = Guarded(false)
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

    @Test("Who was cancelled beforehand calls nothing", arguments: [true, false])
    func beforehand(isInline: Bool) async {
        let scheduler: any StoreScheduler = isInline ? InlineStoreScheduler() : QueueStoreScheduler(label: "store")
        let isRun = Guarded(false)
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
