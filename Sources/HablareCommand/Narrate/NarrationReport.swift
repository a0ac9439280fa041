import Foundation
import Hablare
import HablareAudio

struct NarrationReport: Sendable {
    let plan: NarrationPlan
    let files: NarrationFiles
    let ended: JobEnd<JoinedAudio?>

    var audio: JoinedAudio? { ended.value.flatMap(\.self) }

    func print(json: Bool, quiet: Bool, to console: Console) async throws {
        if json { return try await console.print(JSONText.of(object)) }
        guard !quiet, let audio else { return }
        try await console.print(summary(audio.properties.seconds, console.outputStyle), isStyled: true)
    }

    private var object: JSONObject {
        var object = ended.object
        object.set("output", audio?.url.path)
        object.set("timeline", audio == nil ? nil : files.timeline.path)
        object.set("characters", plan.characters)
        object.set("audioSeconds", audio?.properties.seconds)
        object.set("segmentsPerSecond", ended.progress.rate.map { ($0 * 100).rounded() / 100 })
        return object
    }

    private func summary(_ seconds: Double, _ style: Style) -> String {
        let progress = ended.progress
        var segments = TimeText.count(plan.segments.count, "segment")
        if progress.made == 0 {
            segments += ", all finished before"
        } else {
            if progress.reused > 0 { segments += " (\(progress.reused) reused)" }
            if let rate = TimeText.rate(progress.rate) { segments += ", \(rate) segments a second" }
        }
        return """
            \(style.bold(files.output.path))
            \(TimeText.clock(seconds)) of audio, \(segments), in \(TimeText.length(progress.elapsed))
            Timeline: \(style.plain(files.timeline.path))
            """
    }
}

struct DryRun: Sendable {
    let plan: NarrationPlan
    let files: NarrationFiles
    let made: Made?
    let cost: PriceEstimate

    struct Made: Sendable, Hashable {
        var here = 0
        /// The number of further segments whose audio was made for another narration and is in the cache.
        var inCache = 0
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
            output file: \(files.output.path)
            """)
    }

    private var madeLine: String {
        guard let made else { return "the number of finished segments is unknown" }
        let left = plan.segments.count - made.here - made.inCache
        guard left < plan.segments.count else { return "no segment is finished yet" }
        var parts: [String] = []
        if made.here > 0 { parts.append("\(made.here) finished") }
        if made.inCache > 0 { parts.append("\(made.inCache) in the cache") }
        return parts.joined(separator: ", ") + ", \(left) to make"
    }
}

extension DryRun.Made {
    init(of plan: NarrationPlan, by provider: any AIServiceProvider, in store: any StoreReading, at now: Date) throws {
        var present: Set<Int> = []
        try store.forEachPage(SnapshotFilter(phases: [.completed], job: plan.job, limit: 2_000)) {
            present.formUnion($0.compactMap(\.position))
        }
        here = present.count
        // The engine's window, which also allows for a clock that was set back since.
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

/// The maximum cost of calls that were not made yet.
struct PriceEstimate: Sendable, Hashable {
    /// The cost in millionths of a US dollar; `nil` if it is unknown.
    let microDollars: Int64?
    let isCharged: Bool

    init(
        of indices: [Int], _ installed: InstalledProvider, _ prices: PriceTable, at date: Date,
        request: (Int) -> AIRequest
    ) {
        isCharged = installed.hasPrice
        guard installed.hasPrice else {
            microDollars = 0
            return
        }
        var sum: Int64? = 0
        for index in indices {
            guard let so = sum, let cost = prices.mostCost(of: request(index), at: installed.provider, on: date) else {
                sum = nil
                break
            }
            sum = so.addingReportingOverflow(cost).overflow ? nil : so + cost
        }
        microDollars = sum
    }

    var line: String? {
        guard isCharged else { return nil }
        guard let microDollars else {
            return "unknown cost: there is no price for it; see docs/prices.md"
        }
        return
            "costs at most about \(MicroDollars.text(microDollars)), unless a voice costs extra or calls are retried"
    }
}
