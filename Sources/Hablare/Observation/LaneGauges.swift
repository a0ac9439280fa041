import CoreMetrics

/// How much there is to do in a lane.
struct LaneLoad: Sendable, Hashable {
    let provider: ProviderID
    /// Flights that are held and not sent.
    let queued: Int
    /// Flights under way, and places among them that are promised.
    let running: Int
}

/// Shows how much there is to do, whenever it changed.
///
/// The loads are asked for, and shown, under one lock, so that what is shown last is true. It is not the engine's
/// lock: whoever takes in metrics is code of others.
final class LaneGauges: Sendable {
    private let meters: EngineMeters
    private let shown = Guarded<[ProviderID: LaneLoad]>([:])

    init(_ meters: EngineMeters) {
        self.meters = meters
    }

    /// Something happened.
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
