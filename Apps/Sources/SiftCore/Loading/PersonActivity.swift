public import Hablare
import Synchronization

/// The time at which a person last did something, so that background work can pause meanwhile.
///
/// Decisions and visible pictures count as activity. Share one value between the processor, the loader and the indexer.
public final class PersonActivity: Sendable {
    /// The time without activity after which background work goes on: 1 s.
    static let quietTime: Duration = .seconds(1)
    /// The longest time that background work pauses, so that it ends also while a person works for hours: 5 s.
    static let longestPause: Duration = .seconds(5)

    private let clock: EngineClock
    private let last = Mutex<Duration?>(nil)

    /// Creates a value without activity.
    ///
    /// - Parameter seams: The clock. Default: that of the system.
    public init(seams: EngineSeams = EngineSeams()) { clock = seams.clock }

    /// Notes that the person does something now.
    public func note() {
        let now = clock.now
        last.withLock { $0 = now }
    }

    /// Waits until the person has done nothing for 1 s, at most 5 s.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func pause() async throws {
        let end = clock.now + Self.longestPause
        while let last = last.withLock(\.self) {
            let next = min(last + Self.quietTime, end)
            guard next > clock.now else { return }
            try await clock.sleep(until: next)
        }
    }
}
