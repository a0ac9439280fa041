import HablareTestKit
import Testing

@testable import Hablare

@Suite(.timeLimit(.minutes(5)))
struct WaiterTests {
    @Test("The first end counts, before or after the wait began, and only whoever ended it first learns so")
    func first() async throws {
        let early = Waiter<Int>()
        #expect(early.resume(with: .success(1)))
        #expect(!early.resume(with: .failure(CancellationError())))
        #expect(try await early.value() == 1)
        let late = Waiter<Int>()
        async let value = late.value()
        #expect(late.resume(with: .success(2)))
        #expect(!late.resume(with: .success(3)))
        #expect(try await value == 2)
    }

    @Test("The wait of a cancelled task ends with CancellationError, whenever it was cancelled, unless it is not to")
    func cancelled() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    let waiter = Waiter<Void>()
                    await #expect(throws: CancellationError.self) { try await waiter.value() }
                    #expect(!waiter.resume(), "nothing is handed to a caller that has left")
                }
            }
            group.cancelAll()
            try await group.waitForAll()
        }
        let waiter = Waiter<Int>()
        try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask { try await waiter.value(isCancellable: false) }
            group.cancelAll()
            #expect(waiter.resume(with: .success(4)))
            let value = try await group.next()
            #expect(value == 4)
        }
    }

    @Test("A wait with a limit ends when the time is over, or before when it is ended")
    func limit() async throws {
        let clock = ManualClock()
        let late = Waiter<Void>()
        async let isOver: Void = late.wait(
            within: .seconds(5), on: EngineClock(clock), TaskSpawner(executor: nil), isCancellable: false)
        await clock.sleepers(reach: 1)
        clock.advance(by: .seconds(5))
        await isOver
        #expect(!late.resume())
        let early = Waiter<Void>()
        early.resume()
        await early.wait(within: .seconds(5), on: EngineClock(clock), TaskSpawner(executor: nil), isCancellable: false)
        #expect(clock.sleeperCount == 0)
    }
}
