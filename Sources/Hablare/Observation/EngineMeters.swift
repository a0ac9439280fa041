import CoreMetrics
import HablareSupport
import Metrics

/// The metrics of an engine. They are created only if a metrics system is bootstrapped.
final class EngineMeters: Sendable {
    let journal: JournalMeters
    let flightsRecovered: Counter
    let responsesPruned: Counter
    let prunedBytes: Counter
    let completed: Counter
    let failed: Counter
    let expired: Counter
    let cancelled: Counter
    private let providers: [ProviderID: ProviderMeters]
    private let breakerOpenings: [AccountID: Counter]

    init?(_ factory: any MetricsFactory, registry: ProviderRegistry, clock: EngineClock) {
        if factory is NOOPMetricsHandler { return nil }
        func counter(_ metric: EngineMetric, _ labels: (String, String)...) -> Counter {
            Counter(label: metric.rawValue, dimensions: labels, factory: factory)
        }
        journal = JournalMeters(factory, clock: clock)
        flightsRecovered = counter(.flightsRecovered)
        responsesPruned = counter(.responsesPruned)
        prunedBytes = counter(.prunedBytes)
        completed = counter(.requestsFinished, ("status", "completed"))
        failed = counter(.requestsFinished, ("status", "failed"))
        expired = counter(.requestsFinished, ("status", "expired"))
        cancelled = counter(.requestsFinished, ("status", "cancelled"))
        providers = Dictionary(
            registry.registrations.map { ($0.id, ProviderMeters($0.id, factory)) },
            uniquingKeysWith: { first, _ in first })
        breakerOpenings = Dictionary(
            Set(registry.registrations.map(\.account)).map {
                ($0, counter(.breakerOpenings, ("account", $0.rawValue)))
            }, uniquingKeysWith: { first, _ in first })
    }

    func provider(_ id: ProviderID) -> ProviderMeters? { providers[id] }

    func learned(_ report: AccountReport) {
        if case .until = report.failing { breakerOpenings[report.account]?.increment() }
    }
}

/// The load of a lane, the queue of one provider.
struct LaneLoad: Sendable, Hashable {
    let provider: ProviderID
    let queued: Int
    /// The number of flights in flight, plus the slots that are reserved for submissions.
    let running: Int
}

/// Updates the gauges of the lanes whenever their load changes.
///
/// One lock is held while the loads are read and shown, so the last shown value is always the current value. The
/// engine's lock is not used, because the metrics system runs code of other modules.
final class LaneGauges: Sendable {
    private let meters: EngineMeters
    private let shown = Locked<[ProviderID: LaneLoad]>([:])

    init(_ meters: EngineMeters) {
        self.meters = meters
    }

    func changed(_ loads: () -> [LaneLoad]) {
        shown.withLock { shown in
            for load in loads() where shown[load.provider] != load {
                shown[load.provider] = load
                meters.provider(load.provider)?.queueDepth.set(load.queued)
                meters.provider(load.provider)?.callsRunning.set(load.running)
            }
        }
    }
}
