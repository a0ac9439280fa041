import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareLoading

/// The attempts of one load, on a clock that the test moves.
@Suite(.timeLimit(.minutes(5)))
struct LoadRetryTests {
    private let source = ScriptedSource()
    private let clock = ManualClock()

    private func loader(
        _ policy: LoaderPolicy<String> = LoaderPolicy()
    ) throws -> CoalescingLoader<String, String> {
        try CoalescingLoader(policy: policy, seams: .controlled(by: clock), load: source.load)
    }

    @Test("A load is tried three times, after one and two seconds, without a wait at the end")
    func attempts() async throws {
        let loader = try loader()
        let caller = LoadCaller(loader, "a")
        try await source.fail("a", with: ScriptedSource.Failure(number: 1))
        for (number, wait) in [(2, Duration.seconds(1)), (3, .seconds(2))] {
            await clock.sleepers(reach: 1)
            clock.advance(by: wait - .nanoseconds(1))
            #expect(clock.sleeperCount == 1, "it waits to the end")
            clock.advance(by: .nanoseconds(1))
            try await source.asked(reach: number)
            try await source.fail("a", with: ScriptedSource.Failure(number: number))
        }
        try await waitUntil { caller.isAnswered || clock.sleeperCount > 0 }
        try #require(clock.sleeperCount == 0, "nothing is waited after the last attempt")
        await #expect(throws: ScriptedSource.Failure(number: 3)) { try await caller.value() }
        #expect(source.asked == ["a", "a", "a"])
        #expect(loader.statistics.loads == 3)
        #expect(loader.statistics.retries == 2)
        #expect(loader.statistics.failures == 1)
        #expect(loader.isIdle)
    }

    @Test("A failure that a retry repairs is not delivered")
    func madeGood() async throws {
        let loader = try loader()
        let early = LoadCaller(loader, "a")
        try await source.fail("a")
        await clock.sleepers(reach: 1)
        let late = LoadCaller(loader, "a")
        try await waitUntil { loader.statistics.shared == 1 }
        clock.advance(by: .seconds(1))
        try await source.succeed("a")
        #expect(try await early.value() == "value of a")
        #expect(try await late.value() == "value of a")
        #expect(loader.statistics.failures == 0)
    }

    @Test("A load that waits for a retry frees its slot")
    func placeIsGivenUp() async throws {
        let loader = try loader(LoaderPolicy(concurrency: 1))
        let failing = LoadCaller(loader, "a")
        try await source.fail("a")
        await clock.sleepers(reach: 1)
        let other = LoadCaller(loader, "b")
        try await source.succeed("b")
        #expect(try await other.value() == "value of b")
        clock.advance(by: .seconds(1))
        try await source.succeed("a")
        #expect(try await failing.value() == "value of a")
        #expect(source.mostUnderWay == 1)
    }

    @Test("A permanent failure is delivered at once")
    func final() async throws {
        let loader = try loader()
        let caller = LoadCaller(loader, "a")
        let error = AIServiceError(.unauthorized, "Set a key.")
        try await source.fail("a", with: error)
        await #expect(throws: error) { try await caller.value() }
        #expect(source.asked == ["a"])
        #expect(clock.sleeperCount == 0)
    }

    @Test("A Retry-After of the source is waited for")
    func retryAfter() async throws {
        let loader = try loader()
        let caller = LoadCaller(loader, "a")
        try await source.fail("a", with: AIServiceError(.rateLimited, "Wait.", disposition: .retry(after: .seconds(9))))
        await clock.sleepers(reach: 1)
        clock.advance(by: .seconds(8))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        try await source.succeed("a")
        #expect(try await caller.value() == "value of a")
    }
}
