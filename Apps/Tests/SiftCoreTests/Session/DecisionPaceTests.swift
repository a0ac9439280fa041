import Hablare
import HablareTestKit
import Testing

@testable import SiftCore

@Suite(.timeLimit(.minutes(1))) struct DecisionPaceTests {
    private let clock = ManualClock()

    @Test func doesNotHoldUpWorkWhileNobodyDecides() async throws {
        let pace = DecisionPace(seams: .controlled(by: clock))
        try await pace.waitForPause()
        pace.decided()
        clock.advance(by: DecisionPace.pause)
        try await pace.waitForPause()
    }

    @Test func waitsForAPauseAndThenGoesOn() async throws {
        let pace = DecisionPace(seams: .controlled(by: clock))
        pace.decided()
        async let work: Void = pace.waitForPause()
        await clock.sleepers(reach: 1)
        clock.advance(by: .milliseconds(200))
        pace.decided()
        clock.advance(by: .milliseconds(100))
        // The pause began again with the second decision.
        await clock.sleepers(reach: 1)
        clock.advance(by: .milliseconds(200))
        try await work
    }

    @Test func goesOnAfterASecondHoweverFastAPersonDecides() async throws {
        let pace = DecisionPace(seams: .controlled(by: clock))
        pace.decided()
        async let work: Void = pace.waitForPause()
        for _ in 0..<4 {
            await clock.sleepers(reach: 1)
            pace.decided()
            clock.advance(by: .milliseconds(250))
        }
        try await work
    }
}
