public import Foundation
public import Hablare

extension EngineSeams {
    /// Returns seams for tests. The clock controls all waits, and the dates of all records. There is no jitter: each
    /// backoff takes its full computed delay.
    ///
    /// - Parameters:
    ///   - clock: The clock.
    ///   - start: The date of the records when the clock is at zero. Default: 1 January 2026.
    public static func controlled(
        by clock: ManualClock, from start: Date = Date(timeIntervalSince1970: 1_767_225_600)
    ) -> EngineSeams {
        EngineSeams(
            clock: EngineClock(clock), date: { start.addingTimeInterval(clock.now.offset / .seconds(1)) },
            jitter: { 1 })
    }
}
