public import Foundation
public import Hablare

extension EngineSeams {
    /// Returns seams for tests. One clock controls all waits and the dates of all records. Each backoff takes its
    /// maximum delay, because there is no jitter.
    ///
    /// - Parameters:
    ///   - clock: The clock.
    ///   - start: The date when the clock is at zero. Default: 1 January 2026.
    public static func controlled(
        by clock: ManualClock, from start: Date = Date(timeIntervalSince1970: 1_767_225_600)
    ) -> EngineSeams {
        EngineSeams(
            clock: EngineClock(clock), date: { start.addingTimeInterval(clock.now.offset / .seconds(1)) },
            jitter: { 1 })
    }
}
