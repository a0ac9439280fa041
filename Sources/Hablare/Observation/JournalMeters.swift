import CoreMetrics
import Metrics

/// The metrics of a journal.
package final class JournalMeters: Sendable {
    private let clock: EngineClock
    private let writeDuration: Timer
    private let claimDuration: Timer
    private let writes: Recorder
    private let failedWrites: Counter
    private let failedClaims: Counter
    private let queueDepth: Meter

    init(_ factory: any MetricsFactory, clock: EngineClock) {
        self.clock = clock
        writeDuration = Timer(
            label: EngineMetric.commitDuration.rawValue, dimensions: [("kind", "write")], factory: factory)
        claimDuration = Timer(
            label: EngineMetric.commitDuration.rawValue, dimensions: [("kind", "claim")], factory: factory)
        writes = Recorder(label: EngineMetric.commitWrites.rawValue, factory: factory)
        failedWrites = Counter(
            label: EngineMetric.commitFailures.rawValue, dimensions: [("kind", "write")], factory: factory)
        failedClaims = Counter(
            label: EngineMetric.commitFailures.rawValue, dimensions: [("kind", "claim")], factory: factory)
        queueDepth = Meter(label: EngineMetric.journalQueueDepth.rawValue, factory: factory)
    }

    func roundBegan(waiting: Int) {
        queueDepth.set(waiting)
    }

    func measuringCommit<R>(of count: Int, _ commit: () throws -> R) throws -> R {
        let start = clock.now
        do {
            let result = try commit()
            writeDuration.record(duration: clock.now - start)
            writes.record(count)
            return result
        } catch {
            failedWrites.increment()
            throw error
        }
    }

    func measuringClaim<R>(_ claim: () throws -> R) throws -> R {
        let start = clock.now
        do {
            let result = try claim()
            claimDuration.record(duration: clock.now - start)
            return result
        } catch {
            failedClaims.increment()
            throw error
        }
    }
}
