import HablareTestKit
import Testing

@testable import Hablare

@Suite struct SuspensionsTests {
    private func working() -> Suspensions {
        var suspensions = Suspensions()
        let isToWork = suspensions.engineStarted()
        #expect(isToWork)
        return suspensions
    }

    @Test("Only the background suspends an engine, and only while it is in effect")
    func order() {
        var suspensions = working()
        suspensions.suspended(for: .offline, graceEnds: .seconds(1))
        #expect(suspensions.order == .work)
        suspensions.suspended(for: .background, graceEnds: .seconds(1))
        #expect(suspensions.order == .suspend && suspensions.reasons == [.background, .offline])
        let (first, second) = (suspensions.resumed(from: .background), suspensions.resumed(from: .background))
        #expect(first && !second, "it was not in force any more")
        #expect(suspensions.order == .work && suspensions.reasons == [.offline])
    }

    @Test("A grace ends at its time or when it is hurried, and the shorter of two counts")
    func graces() {
        var suspensions = working()
        suspensions.suspended(for: .background, graceEnds: .seconds(10))
        suspensions.suspended(for: .background, graceEnds: .seconds(20))
        #expect(suspensions.graceEnd(of: .background) == .seconds(10))
        suspensions.suspended(for: .background, graceEnds: .seconds(5))
        #expect(suspensions.graceEnd(of: .background) == .seconds(5))
        suspensions.timePassed(now: .seconds(4))
        #expect(!suspensions.isGraceOver(of: .background))
        suspensions.timePassed(now: .seconds(5))
        #expect(suspensions.isGraceOver(of: .background) && suspensions.graceEnd(of: .background) == nil)
        suspensions.suspended(for: .background, graceEnds: .seconds(20))
        #expect(suspensions.isGraceOver(of: .background), "what is over does not begin again")
        suspensions.hurried(.offline)
        #expect(!suspensions.contains(.offline), "nobody asked for it")
        suspensions.suspended(for: .offline, graceEnds: .seconds(20))
        suspensions.hurried(.offline)
        #expect(suspensions.isGraceOver(of: .offline))
    }

    @Test("An engine is silent while it is suspended in the background and after it has ended")
    func silence() {
        var suspensions = Suspensions()
        suspensions.suspended(for: .background, graceEnds: .zero)
        #expect(!suspensions.isSilent, "none has run: whoever waits, waits for one")
        let isToWork = suspensions.engineStarted()
        #expect(!isToWork && suspensions.isSilent && !suspensions.isEngineUp)
        _ = suspensions.resumed(from: .background)
        #expect(!suspensions.isSilent, "it is about to work")
        let hasWoken = suspensions.engineWoke()
        #expect(hasWoken && suspensions.isEngineUp)
        suspensions.suspended(for: .background, graceEnds: .zero)
        #expect(!suspensions.isSilent, "what is under way may end yet")
        suspensions.engineSuspended()
        let hasWokenAgain = suspensions.engineWoke()
        #expect(suspensions.isSilent && !hasWokenAgain)
        suspensions.endOrdered()
        suspensions.engineEnded()
        _ = suspensions.resumed(from: .background)
        #expect(suspensions.isSilent)
    }

    @Test("A shutdown overrides a suspension, and a failed start changes nothing")
    func ending() {
        var suspensions = working()
        suspensions.suspended(for: .background, graceEnds: .zero)
        suspensions.endOrdered()
        #expect(suspensions.order == .end && suspensions.isEngineUp)
        suspensions.engineSuspended()
        #expect(suspensions.isEngineUp, "it has not ended yet")
        suspensions.engineEnded()
        #expect(!suspensions.isEngineUp)
        _ = suspensions.resumed(from: .background)
        let before = suspensions
        _ = suspensions.engineStarted()
        suspensions.engineFailed(before: before)
        #expect(suspensions == before)
    }
}
