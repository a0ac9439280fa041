import Foundation
import Logging

extension Housekeeper {
    /// Gives up what the policy does not keep, at every interval, until cancelled. Several processes on one store may
    /// do it at once: what one has given up the other does not find.
    func keepWithinLimits() async {
        var searchedAt: Date?
        while true {
            do {
                try await manager.seams.clock.sleep(for: manager.configuration.pruneInterval)
                try await manager.answers.trim(
                    manager.journal, at: manager.seams.date(), manager.configuration.retention)
                var report = try await manager.giveUp(manager.configuration.retention)
                // What is found now was abandoned an hour ago, so that a look an hour later misses nothing for long.
                let now = manager.seams.date()
                if searchedAt.map({ abs(now.timeIntervalSince($0)) >= AIRequestManager.contentGrace }) ?? true {
                    // Also where it fails: what cannot be looked at now can hardly be in five minutes.
                    searchedAt = now
                    report.abandoned = await abandonedContent()
                }
                guard report != AIRequestManager.PruneReport() else { continue }
                manager.logger.info(
                    "Gave up responses past the limits",
                    metadata: [
                        "responses": "\(report.responses)", "bytes": "\(report.bytes)",
                        "abandonedFiles": "\(report.abandoned.files)",
                    ])
            } catch is CancellationError {
                return  // shut down
            } catch {
                manager.logger.error(
                    "Responses past the limits could not be given up", metadata: ["error": "\(error)"])
            }
        }
    }

    /// What was found and removed; nothing where that failed, which takes nothing from what was given up besides.
    private func abandonedContent() async -> AbandonedContent {
        do {
            return try await manager.abandonedContent(removing: true)
        } catch is CancellationError {
            return AbandonedContent()  // shut down, which the next sleep finds out
        } catch {
            manager.logger.error("Abandoned content could not all be removed", metadata: ["error": "\(error)"])
            return AbandonedContent()
        }
    }
}
