public import Hablare
import Synchronization

/// Lets background work wait while a person decides, so that the next photo has the processor for itself.
///
/// The work goes on after a pause of ``pause``, and once each ``longest`` while there is none. So it never stops.
public final class DecisionPace: Sendable {
    /// The time since the last decision that counts as a pause: 300 ms.
    public static let pause: Duration = .milliseconds(300)
    /// The longest time that a piece of work waits for a pause: 1 s.
    public static let longest: Duration = .seconds(1)

    private let clock: EngineClock
    private let last = Mutex<Duration?>(nil)

    /// Creates a pace.
    ///
    /// - Parameter seams: The clock. Default: that of the system.
    public init(seams: EngineSeams = EngineSeams()) { clock = seams.clock }

    /// A person has decided.
    public func decided() {
        let now = clock.now
        last.withLock { $0 = now }
    }

    /// Returns when a piece of background work may begin.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func waitForPause() async throws {
        let limit = clock.now + Self.longest
        while let decision = last.withLock({ $0 }) {
            let end = min(decision + Self.pause, limit)
            guard end > clock.now else { return }
            try await clock.sleep(until: end)
        }
    }
}
