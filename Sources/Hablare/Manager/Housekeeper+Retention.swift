import Foundation
import Logging

extension Housekeeper {
    /// Evicts responses that the policy does not keep, at every ``EngineConfiguration/pruneInterval``, until the task
    /// is cancelled. Several processes on one store may evict responses at the same time. Each process finds only
    /// responses that no other process has evicted yet.
    func keepWithinLimits() async {
        var searchedAt: Date?
        while true {
            do {
                try await manager.seams.clock.sleep(for: manager.configuration.pruneInterval)
                try await manager.answers.trim(
                    manager.journal, at: manager.seams.date(), manager.configuration.retention)
                var report = try await manager.giveUp(manager.configuration.retention)
                // Content found now was orphaned an hour ago, so a search every hour misses nothing for long.
                let now = manager.seams.date()
                if searchedAt.map({ abs(now.timeIntervalSince($0)) >= AIRequestManager.contentGrace }) ?? true {
                    // Set also if the search fails: content that cannot be searched now can hardly be in five minutes.
                    searchedAt = now
                    report.abandoned = await abandonedContent()
                }
                guard report != AIRequestManager.PruneReport() else { continue }
                manager.logger.info(
                    "Evicted responses beyond the retention limits",
                    metadata: [
                        "responses": "\(report.responses)", "bytes": "\(report.bytes)",
                        "abandonedFiles": "\(report.abandoned.files)",
                    ])
            } catch is CancellationError {
                return  // shut down
            } catch {
                manager.logger.error(
                    "Responses beyond the retention limits could not be evicted", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Removes orphaned content files (files that no row of the store refers to), and returns their count. If the
    /// search fails, returns an empty count, so that the report of the evicted responses is still returned.
    private func abandonedContent() async -> AbandonedContent {
        do {
            return try await manager.abandonedContent(removing: true)
        } catch is CancellationError {
            return AbandonedContent()  // shut down, which the next sleep finds out
        } catch {
            manager.logger.error("Some abandoned content could not be removed", metadata: ["error": "\(error)"])
            return AbandonedContent()
        }
    }
}
