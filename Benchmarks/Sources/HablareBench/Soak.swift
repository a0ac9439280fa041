import Foundation
import Hablare
import HablareSQLite

/// An engine at work for a long time: does its memory stay flat?
///
/// Callers live through all that requests can (``SoakLives``), answers are kept, given up and deleted. What is on disk is
/// bounded, so whatever grows is a leak.
enum Soak {
    /// How much more may be resident at the end than after a third of the time, in which caches and pools fill.
    static let tolerance = 1.05
    /// How many answers are kept before the oldest are given up, and how many requests before the oldest are deleted.
    private static let answers = 100
    private static let requests = 2_000

    struct Sample {
        var minute: Double
        var resident: Double
    }

    /// What was measured, and whether memory stayed flat.
    struct Verdict {
        var figures: [Figure]
        var isFlat: Bool
    }

    static func run(minutes: Double) async throws -> Verdict {
        let (samples, record, shared) = try await withScratchFolder { try await work(in: $0, minutes: minutes) }
        let growth = growth(samples, minutes: minutes)
        func figure(_ name: String, _ value: Int) -> Figure {
            Figure(name: "soak.\(name)", value: Double(value), unit: "requests", better: .higher)
        }
        // A soak in which one of these never happened has shown nothing of it.
        for (name, count) in [
            ("streamed", record.streamed), ("shared", shared), ("cached", record.cached), ("pruned", record.pruned),
        ] where count == 0 {
            throw BenchmarkFailure(what: "soak: no request was \(name)")
        }
        return Verdict(
            figures: [
                figure("requests", record.requests), figure("streamed", record.streamed),
                figure("shared", shared), figure("cached", record.cached), figure("pruned", record.pruned),
                Figure(name: "soak.resident", value: growth.end, unit: "MiB", better: .lower),
                Figure(
                    name: "soak.growth", value: growth.end / growth.settled, unit: "of that after a third",
                    better: .lower),
            ], isFlat: growth.end <= growth.settled * tolerance)
    }

    /// The resident memory after a third of the time and at the end, each the median of a twelfth of the time: one
    /// sample may be one of a moment's backlog.
    private static func growth(_ samples: [Sample], minutes: Double) -> (settled: Double, end: Double) {
        func resident(_ range: Range<Double>) -> Double {
            median(samples.filter { range.contains($0.minute / minutes) }.map(\.resident))
        }
        return (resident(1 / 3..<5 / 12), resident(11 / 12..<2))
    }

    private static func work(in folder: URL, minutes: Double) async throws -> ([Sample], SoakLives.Record, Int) {
        let provider = SoakProvider()
        let manager = try Lifecycle.manager(try SQLiteStore(directory: folder), provider)
        let lives = SoakLives(manager: manager, kept: requests)
        let start = ContinuousClock.now
        let end = start + .seconds(minutes * 60)
        return try await EngineService.run(manager) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<32 {
                    group.addTask { while ContinuousClock.now < end { try await lives.live() } }
                }
                group.addTask {
                    while ContinuousClock.now < end {
                        try await Task.sleep(for: .seconds(2))
                        await lives.count(pruned: try await manager.prune(Retention(maximumCount: answers)).responses)
                    }
                }
                var samples: [Sample] = []
                let pause = Duration.seconds(max(0.5, min(10, minutes * 60 / 240)))
                var told = start
                while ContinuousClock.now < end {
                    try await Task.sleep(for: pause)
                    let sample = Sample(
                        minute: (ContinuousClock.now - start) / .seconds(60), resident: residentMemory() / 1024)
                    samples.append(sample)
                    if ContinuousClock.now - told >= .seconds(10) {
                        told = .now
                        tell(sample, await lives.record.requests)
                    }
                }
                try await group.waitForAll()
                let record = await lives.record
                return (samples, record, record.sharing - provider.sharedCalls)
            }
        }
    }

    private static func tell(_ sample: Sample, _ requests: Int) {
        func text(_ number: Double) -> String { number.formatted(.number.precision(.fractionLength(1))) }
        let line = "\(text(sample.minute)) min, \(requests) requests, \(text(sample.resident)) MiB\n"
        FileHandle.standardError.write(Data(line.utf8))
    }

    private static func residentMemory() -> Double {
        guard let file = FileHandle(forReadingAtPath: "/proc/self/status") else { return 0 }
        let status = String(decoding: file.readDataToEndOfFile(), as: UTF8.self)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Double($0.filter(\.isNumber)) } ?? 0
    }
}
