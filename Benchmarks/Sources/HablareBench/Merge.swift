import Foundation
import GRDB
import Hablare
import HablareData
import HablarePersistence
import HablareStores
import HablareTestKit
import Synchronization

/// Receipts a second, one at a time and in hundreds, beside the same updates by GRDB alone, without receipts; and how long the
/// main actor is kept while a thousand responses of 1 KB to 1 MB arrive for models.
enum Merge {
    private static let rows = 20_000

    static func run(rounds: Int) async throws -> [Figure] {
        var rates: [String: [Double]] = [:]
        var times: [MainActorTimes] = []
        for _ in 0..<rounds {
            for (name, rate) in try await withScratchFolder({ try await records($0) }) {
                rates[name, default: []].append(rate)
            }
            times.append(try await withScratchFolder { try await models($0) })
        }
        func rate(_ name: String) -> Double { median(rates[name] ?? []) }
        func main(_ name: String, _ time: (MainActorTimes) -> Double) -> Figure {
            Figure(name: "merge.main.\(name)", value: median(times.map(time)), unit: "ms", better: .lower)
        }
        return [
            Figure(name: "merge.one", value: rate("one"), unit: "rows/s", better: .higher),
            Figure(name: "merge.32", value: rate("32"), unit: "rows/s", better: .higher),
            Figure(name: "merge.batched", value: rate("batched"), unit: "rows/s", better: .higher),
            Figure(name: "merge.plain", value: rate("plain"), unit: "rows/s", better: .higher),
            Figure(
                name: "merge.ratio", value: rate("batched") / rate("plain"), unit: "of GRDB without receipts",
                better: .higher),
            main("stretch") { $0.stretch }, main("gap") { $0.gap },
            main("batch-stretch") { $0.batchStretch }, main("batch-gap") { $0.batchGap },
            main("idle-gap") { $0.idle },
        ]
    }

    // MARK: Records

    private static func records(_ folder: URL) async throws -> [String: Double] {
        let database = try AppTable.open(in: folder, rows: rows)
        let manager = AIRequestManager(store: InMemoryStore(), providers: try ProviderRegistry([ScriptedProvider()]))
        let coordinator = AIDataCoordinator(manager: manager, database: database.writer)
        let target = MergeTarget.column(AppTable.Item.self, { $0.text })
        let text = String(repeating: "x", count: 100)
        func asks(_ range: Range<Int>) -> [(response: AIResponseData, row: MergeRow)] {
            range.map { (AppTable.response(text), MergeRow(Int64($0))) }
        }
        var rates: [String: Double] = [:]
        // Plain and ours in turn, on the same rows.
        rates["plain"] = try await rate(rows) {
            for start in stride(from: 0, to: rows, by: 100) { try update(start..<start + 100, to: text, in: database) }
        }
        let batches = stride(from: 0, to: rows, by: 100).map { asks($0..<$0 + 100) }
        rates["batched"] = try await rate(rows) {
            for batch in batches {
                for outcome in await coordinator.merge(batch, into: target) { _ = try outcome.get() }
            }
        }
        let few = asks(0..<500)
        rates["one"] = try await rate(few.count) {
            for ask in few { try await coordinator.merge(ask.response, into: target, row: ask.row) }
        }
        let many = asks(0..<rows / 2)
        rates["32"] = try await rate(many.count) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for caller in 0..<32 {
                    group.addTask {
                        for ask in stride(from: caller, to: many.count, by: 32).map({ many[$0] }) {
                            try await coordinator.merge(ask.response, into: target, row: ask.row)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        return rates
    }

    private static func update(_ range: Range<Int>, to text: String, in database: AppDatabase) throws {
        try database.writer.write { db in
            for id in range {
                _ = try AppTable.Item.filter(key: id).updateAll(db, AppTable.Item.Columns.text.set(to: text))
            }
        }
    }

    private static func rate(_ count: Int, _ work: () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        try await work()
        return Double(count) / (ContinuousClock.now - start).seconds
    }

    // MARK: The main actor

    @MainActor private final class Model {
        var text = ""
    }

    private struct MainActorTimes {
        var stretch = 0.0
        var gap = 0.0
        var batchStretch = 0.0
        var batchGap = 0.0
        var idle = 0.0
    }

    /// The longest stretch of merging on the main actor as the library measures it, and the longest gap between two turns of a
    /// task that does nothing on the main actor but take turns: while a thousand responses come one by one to eight who merge
    /// them, while they come in one batch, and while nothing comes (what the machine itself takes).
    @MainActor private static func models(_ folder: URL) async throws -> MainActorTimes {
        let database = try AppTable.open(in: folder)
        let manager = AIRequestManager(store: InMemoryStore(), providers: try ProviderRegistry([ScriptedProvider()]))
        func coordinator(timed longest: LongestTimer) -> AIDataCoordinator {
            var seams = EngineSeams()
            seams.observation = EngineObservation(metrics: longest)
            return AIDataCoordinator(manager: manager, database: database.writer, seams: seams)
        }
        let longest = LongestTimer(of: DataMetric.mainActorDuration.rawValue)
        let single = coordinator(timed: longest)
        let responses = (0..<1000).map { AppTable.response(String(repeating: "x", count: 1024 << ($0 % 11))) }
        let models = responses.map { _ in Model() }
        var times = MainActorTimes()
        times.idle = try await longestGap { try await Task.sleep(for: .milliseconds(500)) }
        let merge: @MainActor @Sendable (Int) async throws -> Void = {
            try await single.merge(responses[$0], into: models[$0], property: \.text)
        }
        times.gap = try await longestGap { try await exclusively(models.count, merge) }
        guard models.allSatisfy({ !$0.text.isEmpty }) else {
            throw AIServiceError(.invalidState, "A response was not merged.")
        }
        times.stretch = longest.milliseconds
        let longestOfBatch = LongestTimer(of: DataMetric.mainActorDuration.rawValue)
        let together = coordinator(timed: longestOfBatch)
        let others = responses.map { _ in Model() }
        times.batchGap = try await longestGap {
            for outcome in await together.merge(Array(zip(responses, others)), property: \.text) {
                _ = try outcome.get()
            }
        }
        times.batchStretch = longestOfBatch.milliseconds
        return times
    }

    /// Eight, none of them on the main actor, who take one after another.
    @concurrent private static func exclusively(
        _ count: Int, _ work: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<8 {
                group.addTask {
                    for number in stride(from: caller, to: count, by: 8) { try await work(number) }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Waits for another turn of the main actor, in its own line: `Task.yield()` goes by the executor that all tasks share,
    /// and waits there behind whatever is converted.
    @MainActor private static func turn() async {
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    }

    @MainActor private static func longestGap(_ work: @MainActor () async throws -> Void) async throws -> Double {
        let watch = Task { @MainActor in
            var last = ContinuousClock.now
            var longest = Duration.zero
            while !Task.isCancelled {
                await turn()
                let now = ContinuousClock.now
                longest = max(longest, now - last)
                last = now
            }
            return longest
        }
        defer { watch.cancel() }
        try await work()
        watch.cancel()
        return await watch.value.seconds * 1000
    }
}
