import Foundation

extension AIRequestManager {
    /// Why requests wait, as far as it takes more than their rows to know.
    func explained(_ snapshots: [RequestSnapshot]) async throws -> [RequestSnapshot] {
        guard snapshots.contains(where: \.waitsForItsLane) else { return snapshots }
        let now = seams.date()
        return try await reading { try $0.explaining(snapshots, now: now) }.map { snapshot in
            guard case .unclaimed = snapshot.waiting, registry[snapshot.providerID] == nil else { return snapshot }
            var explained = snapshot
            explained.waiting = .noProvider
            return explained
        }
    }
}
