import Foundation
import Hablare
import HablareLoading
import HablareTestKit
import Synchronization

/// A hundred thousand asks for a thousand keys, all of them before the first load ends: how many loads they cost, and how
/// many asks are answered a second, beside the few lines that everybody writes first: an actor with a task for each key,
/// which bounds nothing, and where nobody can leave.
enum Coalesce {
    private static let asks = 100_000
    private static let keys = 1_000

    static func run(rounds: Int) async throws -> [Figure] {
        var ours: [Double] = []
        var ratios: [Double] = []
        var found: [Double] = []
        for _ in 0..<rounds {
            let plain = try await plain()
            let (together, memory) = try await loader()
            ours.append(together)
            ratios.append(together / plain)
            found.append(memory)
        }
        return [
            // Whoever gets here had as many: any other number is an error.
            Figure(name: "coalesce.loads", value: Double(keys), unit: "loads", better: .lower),
            Figure(name: "coalesce.asks", value: median(ours), unit: "asks/s", better: .higher),
            Figure(name: "coalesce.ratio", value: median(ratios), unit: "of a plain actor's", better: .higher),
            Figure(name: "coalesce.memory", value: median(found), unit: "asks/s", better: .higher),
        ]
    }

    private static func loader() async throws -> (together: Double, memory: Double) {
        let source = Source()
        let loader = try CoalescingLoader<Int, Int>(
            policy: LoaderPolicy(memoryCount: keys), load: { try await source.load($0) })
        let together = try await rate(source, isAsked: { loader.statistics.shared == asks - keys }) {
            try await loader.load($0)
        }
        // Once more, now that all of them are in memory.
        let memory = try await rate(source, isAsked: { true }) { try await loader.load($0) }
        let statistics = loader.statistics
        await loader.shutdown()
        guard source.loads == keys, statistics.loads == keys, statistics.hits == asks else {
            throw AIServiceError(.invalidState, "\(source.loads) loads for \(keys) keys.")
        }
        return (together, memory)
    }

    private static func plain() async throws -> Double {
        let source = Source()
        let loader = PlainLoader(source)
        let rate = try await rate(source, isAsked: { await loader.asked == asks }) { try await loader.load($0) }
        guard source.loads == keys else {
            throw AIServiceError(.invalidState, "\(source.loads) loads for \(keys) keys.")
        }
        return rate
    }

    /// Asks a second. The source answers once all have asked.
    private static func rate(
        _ source: Source, isAsked: @escaping @Sendable () async -> Bool,
        _ load: @escaping @Sendable (Int) async throws -> Int
    ) async throws -> Double {
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            // A group for each round of the keys: a group of all asks would search a list of them for each that is over.
            for _ in 0..<asks / keys {
                group.addTask { try await askForAll(load) }
            }
            while await !isAsked() { await Task.yield() }
            source.gate.open()
            try await group.waitForAll()
        }
        return Double(asks) / (ContinuousClock.now - start).seconds
    }

    private static func askForAll(_ load: @escaping @Sendable (Int) async throws -> Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for key in 0..<keys {
                group.addTask {
                    guard try await load(key) == key else {
                        throw AIServiceError(.invalidState, "A key had the value of another one.")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Counts what it is asked, and answers when its gate is open.
    private final class Source: Sendable {
        let gate = Gate()
        private let count = Atomic(0)

        var loads: Int { count.load(ordering: .relaxed) }

        func load(_ key: Int) async throws -> Int {
            count.add(1, ordering: .relaxed)
            try await gate.pass()
            return key
        }
    }

    private actor PlainLoader {
        private let source: Source
        private var tasks: [Int: Task<Int, any Error>] = [:]
        private(set) var asked = 0

        init(_ source: Source) { self.source = source }

        func load(_ key: Int) async throws -> Int {
            asked += 1
            if let task = tasks[key] { return try await task.value }
            let task = Task { [source] in try await source.load(key) }
            tasks[key] = task
            return try await task.value
        }
    }
}
