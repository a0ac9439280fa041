public import Foundation
public import Hablare

extension EngineSeams {
    /// Returns seams for tests whose time comes from one clock. Waits and the dates of records move together. Backoffs
    /// take their full time, because there is no jitter.
    ///
    /// - Parameters:
    ///   - clock: The clock.
    ///   - start: The date at the clock's zero. Default: the first of January 2026.
    public static func controlled(
        by clock: ManualClock, from start: Date = Date(timeIntervalSince1970: 1_767_225_600)
    ) -> EngineSeams {
        EngineSeams(
            clock: EngineClock(clock), date: { start.addingTimeInterval(clock.now.offset / .seconds(1)) },
            jitter: { 1 })
    }
}
