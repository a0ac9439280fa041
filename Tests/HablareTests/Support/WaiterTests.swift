import HablareTestKit
import Testing

@testable import Hablare

@Suite(.timeLimit(.minutes(5)))
struct WaiterTests {
    @Test("The first result counts, before or during the wait, and only its call returns true")
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

    @Test("A cancelled wait throws CancellationError unless it is not cancellable")
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

    @Test("A wait with a time limit ends at the limit or earlier with its result")
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
