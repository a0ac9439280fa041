import Foundation
import Hablare
import HablareSQLite
import HablareStores
import Logging

/// Durable requests a second with a provider that does nothing, beside the ceiling, in turn.
enum Lifecycle {
    static let widths = [1, 32, 256, 1024]
    static let ways = ["ceiling", "sqlite", "full", "memory"]
    static let prompt = "In the beginning was the Word, and the Word was with God, and the Word was God."

    /// A request for work of its own: identical ones would share a call.
    static func request(attemptTimeout: Duration? = nil) -> AIRequest {
        let id = UUID.timeOrdered()
        return AIRequest(
            id: id, prompt: .text(prompt), sample: Int(truncatingIfNeeded: id.hashValue),
            attemptTimeout: attemptTimeout)
    }

    static func total(_ width: Int) -> Int { width == 1 ? 2_000 : 20_000 }

    /// Answers with the prompt, and remembers nothing: what a scripted provider records of each call is not the engine's.
    struct EmptyProvider: AIServiceProvider {
        let id: ProviderID = "empty"
        let responseType = ContentType.text
        let limits: ProviderLimits

        func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
            .success(ProviderAnswer(.text(Body(call.request.prompt.plainText))))
        }
    }

    static func manager(_ store: any RequestStore, concurrency: Int = 4096) throws -> AIRequestManager {
        try manager(store, EmptyProvider(limits: ProviderLimits(concurrency: concurrency)))
    }

    static func manager(_ store: any RequestStore, _ provider: any AIServiceProvider) throws -> AIRequestManager {
        var logger = Logger(label: "bench")
        logger.logLevel = .error
        return AIRequestManager(store: store, providers: try ProviderRegistry([provider]), logger: logger)
    }

    /// What looks on in `lifecycle.full`.
    private struct Onlookers {
        let metrics = CountingMetrics()
        let tracer = DroppingTracer()
    }

    /// The engine with all of what an application may switch on for every request: a budget that each call is reserved
    /// in, metrics, and traces that go through the store.
    static func fullEngine(_ width: Int) async throws -> Pace {
        try await withScratchFolder { folder in
            let onlookers = Onlookers()
            var logger = Logger(label: "bench")
            logger.logLevel = .error
            let configuration = EngineConfiguration(
                prices: try PriceTable([PriceEntry(provider: "empty", unit: .call, microDollarsPerMillion: 1_000_000)]),
                budgets: [Budget("bench", microDollars: 1_000_000_000_000)])
            let store = try SQLiteStore(directory: folder)
            let manager = AIRequestManager(
                store: store,
                providers: try ProviderRegistry([EmptyProvider(limits: ProviderLimits(concurrency: 4096))]),
                configuration: configuration,
                seams: EngineSeams(
                    observation: EngineObservation(metrics: onlookers.metrics, tracer: onlookers.tracer)),
                logger: logger)
            return try await EngineService.run(manager) {
                _ = try await manager.execute(request(), with: "empty")
                let pace = try await pace(width: width, total: total(width)) {
                    _ = try await manager.execute(request(), with: "empty")
                }
                let spent = try store.budgets().first?.spent ?? 0
                // A micro-dollar a call, and a span for each submission and each attempt.
                let calls = total(width) / width * width + 1
                guard spent == calls, onlookers.tracer.count >= 2 * calls, onlookers.metrics.total >= calls else {
                    throw BenchmarkFailure(
                        what: "lifecycle.full: not everything was on: \(spent) spent, \(onlookers.tracer.count) spans")
                }
                return pace
            }
        }
    }

    static func ceiling(_ width: Int) async throws -> Pace {
        try await withScratchFolder { folder in
            let probe = try Ceiling(file: folder.appendingPathComponent("ceiling.sqlite"))
            return try await pace(width: width, total: total(width)) { try await probe.lifecycle(prompt) }
        }
    }

    static func engine(_ width: Int, onDisk: Bool) async throws -> Pace {
        try await withScratchFolder { folder in
            let store: any RequestStore = onDisk ? try SQLiteStore(directory: folder) : InMemoryStore()
            let manager = try manager(store)
            return try await EngineService.run(manager) {
                // The first request finds out that the store has no backlog.
                _ = try await manager.execute(request(), with: "empty")
                return try await pace(width: width, total: total(width)) {
                    _ = try await manager.execute(request(), with: "empty")
                }
            }
        }
    }

    /// `ceiling`, `lifecycle.sqlite`, `lifecycle.full` and `lifecycle.memory` at every width, medians of rounds in turn;
    /// and what each takes of the processors.
    static func run(rounds: Int, widths: [Int], ways: [String]) async throws -> [Figure] {
        var figures: [Figure] = []
        for width in widths {
            var paces: [String: [Pace]] = [:]
            for _ in 0..<rounds {
                for way in ways { paces[way, default: []].append(try await measured(width, way)) }
            }
            for way in ways {
                let name = way == "ceiling" ? "ceiling.\(width)" : "lifecycle.\(way).\(width)"
                figures += self.paces(name, paces[way] ?? [])
                if way == "sqlite" || way == "full", let bare = paces["ceiling"], let these = paces[way] {
                    figures += ratio(name, these, bare)
                }
            }
        }
        return figures
    }

    private static func measured(_ width: Int, _ way: String) async throws -> Pace {
        switch way {
        case "ceiling": try await ceiling(width)
        case "full": try await fullEngine(width)
        case let way: try await engine(width, onDisk: way == "sqlite")
        }
    }

    private static func ratio(_ name: String, _ paces: [Pace], _ bare: [Pace]) -> [Figure] {
        let ratios = zip(paces, bare).map { $0.rate / $1.rate }
        return [Figure(name: "\(name).ratio", value: median(ratios), unit: "of the ceiling", better: .higher)]
    }

    private static func paces(_ name: String, _ paces: [Pace]) -> [Figure] {
        [
            Figure(name: name, value: median(paces.map(\.rate)), unit: "requests/s", better: .higher),
            Figure(
                name: "\(name).processor", value: median(paces.map(\.processorTime)), unit: "µs a request",
                better: .lower),
        ]
    }
}
