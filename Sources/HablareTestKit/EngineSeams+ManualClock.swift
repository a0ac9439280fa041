public import Foundation
public import Hablare

extension EngineSeams {
    /// Seams whose time is that of one clock, for tests: what is waited by and what records are dated by move together,
    /// and back-off takes its whole time, because there is no jitter.
    ///
    /// - Parameters:
    ///   - clock: The clock.
    ///   - start: The date when it was at zero. Default: the first of January 2026.
    public static func controlled(
        by clock: ManualClock, from start: Date = Date(timeIntervalSince1970: 1_767_225_600)
    ) -> EngineSeams {
        EngineSeams(
            clock: EngineClock(clock), date: { start.addingTimeInterval(clock.now.offset / .seconds(1)) },
            jitter: { 1 })
    }
}
