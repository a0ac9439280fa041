import Foundation
import Hablare

/// What a narration would do, without doing it.
struct DryRun: Sendable {
    let plan: NarrationPlan
    let files: NarrationFiles
    /// What is there of it; `nil` where that is not known.
    let made: Made?
    /// What that would cost which is to be made.
    let cost: PriceEstimate

    /// How much of a narration is made already.
    struct Made: Sendable, Hashable {
        /// Segments of this very narration that have their audio in the store.
        var here = 0
        /// Others whose audio was made for another narration, and would be taken from the cache.
        var inCache = 0
        /// The segments that are to be made, by their places.
        var missing: [Int] = []
    }

    private var seconds: Double { plan.estimatedSeconds }
    private var least: Double { seconds * NarrationPlan.doubt.least }
    private var most: Double { seconds * NarrationPlan.doubt.most }

    func report(json: Bool, quiet: Bool, to console: Console) async throws {
        if json {
            var report: JSONObject = [
                "dryRun": true, "job": plan.job.rawValue, "output": files.output.path,
                "timeline": files.timeline.path, "provider": plan.provider.rawValue, "segments": plan.segments.count,
                "characters": plan.characters, "estimatedAudioSeconds": seconds.rounded(),
                "estimatedAudioSecondsAtLeast": least.rounded(), "estimatedAudioSecondsAtMost": most.rounded(),
            ]
            if let made {
                report.set("completed", made.here)
                report.set("inCache", made.inCache)
            }
            if let cost = cost.microDollars { report.set("estimatedCostMicroDollars", cost) }
            return try await console.print(JSONText.of(report))
        }
        guard !quiet else { return }
        if let doubt = files.doubt(about: seconds) { console.note(doubt) }
        try await console.print(
            """
            \(TimeText.count(plan.segments.count, "segment")), \(TimeText.count(plan.characters, "character")), \
            about \(TimeText.clock(seconds)) of audio (between \(TimeText.clock(least)) and \(TimeText.clock(most)))
            \([madeLine, cost.line].compactMap(\.self).joined(separator: "\n"))
            would be written to \(files.output.path)
            """)
    }

    private var madeLine: String {
        guard let made else { return "what is made already is not known" }
        let left = plan.segments.count - made.here - made.inCache
        guard left < plan.segments.count else { return "nothing of it is made yet" }
        var parts: [String] = []
        if made.here > 0 { parts.append("\(made.here) made before") }
        if made.inCache > 0 { parts.append("\(made.inCache) in the cache") }
        return parts.joined(separator: ", ") + ", \(left) to be made"
    }
}

extension DryRun.Made {
    /// Looks what a store has of a narration.
    init(of plan: NarrationPlan, by provider: any AIServiceProvider, in store: any StoreReading, at now: Date) throws {
        var present: Set<Int> = []
        var filter = SnapshotFilter(phases: [.completed], job: plan.job, limit: 2_000)
        while true {
            let page = try store.snapshots(filter)
            present.formUnion(page.compactMap(\.position))
            guard page.count == filter.limit, let last = page.last else { break }
            filter.continues(after: last)
        }
        here = present.count
        // As the engine asks, also of a clock that was set back since.
        let age = CacheLimits().timeToLive
        let window = now.addingTimeInterval(-age)...now.addingTimeInterval(age)
        for index in plan.segments.indices where !present.contains(index) {
            let fingerprint = try Fingerprint(plan.request(index, id: UUID()), instance: provider.instance)
            if try store.cachedAnswer(CacheQuery(fingerprint: fingerprint, window: window)) != nil {
                inCache += 1
            } else {
                missing.append(index)
            }
        }
    }
}
