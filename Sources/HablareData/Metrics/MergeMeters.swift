import CoreMetrics
import Hablare
import HablareSupport
import Metrics

/// The metrics of one coordinator.
final class MergeMeters: Sendable {
    let clock: EngineClock
    private let queueDepth: Meter
    private let bytes: Recorder
    private let recordDuration: Timer
    private let modelDuration: Timer
    private let bytesInFlight: Meter
    private let mainActor: Timer
    private let merged: Counter
    private let alreadyMerged: Counter
    private let failed: Counter
    private let promises: Meter

    private struct Counts: Sendable {
        var depth = 0
        var bytes = 0
    }

    private let counts = Locked(Counts())

    init(_ seams: EngineSeams) {
        let factory = seams.observation.metrics
        func timer(into: String) -> Timer {
            Timer(label: DataMetric.duration.rawValue, dimensions: [("into", into)], factory: factory)
        }
        func counter(_ outcome: String) -> Counter {
            Counter(label: DataMetric.merges.rawValue, dimensions: [("outcome", outcome)], factory: factory)
        }
        clock = seams.clock
        queueDepth = Meter(label: DataMetric.queueDepth.rawValue, factory: factory)
        bytes = Recorder(label: DataMetric.bytes.rawValue, factory: factory)
        recordDuration = timer(into: "record")
        modelDuration = timer(into: "model")
        bytesInFlight = Meter(label: DataMetric.bytesInFlight.rawValue, factory: factory)
        mainActor = Timer(label: DataMetric.mainActorDuration.rawValue, factory: factory)
        merged = counter("merged")
        alreadyMerged = counter("already_merged")
        failed = counter("failed")
        promises = Meter(label: DataMetric.promises.rawValue, factory: factory)
    }

    /// Counts requested merges.
    func asked(_ count: Int) {
        queueDepth.set(
            counts.withLock {
                $0.depth += count; return $0.depth
            })
    }

    /// Records the end of a merge.
    func ended(_ result: Result<MergeOutcome, any Error>, intoModel: Bool, since start: Duration) {
        queueDepth.set(
            counts.withLock {
                $0.depth -= 1; return $0.depth
            })
        (intoModel ? modelDuration : recordDuration).record(duration: clock.now - start)
        switch result {
        case .success(.merged): merged.increment()
        case .success(.alreadyMerged): alreadyMerged.increment()
        case .failure: failed.increment()
        }
    }

    /// Records the size of a response that is merged.
    func merges(_ size: Int) {
        bytes.record(size)
    }

    /// Adds a change to the number of bytes that merges hold in memory.
    func holds(_ change: Int) {
        bytesInFlight.set(
            counts.withLock {
                $0.bytes += change; return $0.bytes
            })
    }

    /// Runs a closure and records how long it occupies the main actor.
    @MainActor func onMainActor<R>(_ work: () throws -> R) rethrows -> R {
        let start = clock.now
        defer { mainActor.record(duration: clock.now - start) }
        return try work()
    }

    /// Records the number of promised merges that wait for their responses.
    func waiting(_ count: Int) {
        promises.set(count)
    }
}
