import Foundation

extension AIRequestManager {
    /// Why requests wait, as far as it takes more than their rows to know.
    func explained(_ snapshots: [RequestSnapshot]) async throws -> [RequestSnapshot] {
        let now = seams.date()
        let snapshots = resting(snapshots, now: now)
        guard snapshots.contains(where: \.waitsForItsLane) else { return snapshots }
        return try await journal.read { try $0.explaining(snapshots, now: now) }.map { snapshot in
            guard case .unclaimed = snapshot.waiting, registry[snapshot.providerID] == nil else { return snapshot }
            var explained = snapshot
            explained.waiting = .noProvider
            return explained
        }
    }

    /// Says of what nobody has taken that this engine rests. Other processes do not know it: to them nobody has.
    private func resting(_ snapshots: [RequestSnapshot], now: Date) -> [RequestSnapshot] {
        let reasons = suspensions
        guard !reasons.isEmpty else { return snapshots }
        return snapshots.map { snapshot in
            switch snapshot.waiting {
            case .unclaimed: break
            case .backingOff(let until) where until <= now: break
            default: return snapshot
            }
            guard let provider = registry.registration(of: snapshot.providerID) else { return snapshot }
            var explained = snapshot
            if reasons.contains(.background) {
                explained.waiting = .suspended
            } else if provider.needsNetwork {
                explained.waiting = .offline
            }
            return explained
        }
    }
}
