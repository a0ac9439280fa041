import Foundation
import Hablare
import HablareSQLite
import HablareTestKit
import Logging
import Synchronization

/// Answers from the cache a second, on the SQLite store: looked up in memory, looked up in the store, and as the
/// responses of requests on record.
enum CacheHit {
    private static let works = 500

    static func run(rounds: Int) async throws -> [Figure] {
        var memory: [Double] = []
        var store: [Double] = []
        var recorded: [Double] = []
        for _ in 0..<rounds {
            memory.append(try await once(memoryCount: 1000, width: 4, total: 400_000, isRecorded: false))
            store.append(try await once(memoryCount: 0, width: 4, total: 100_000, isRecorded: false))
            recorded.append(try await once(memoryCount: 0, width: 256, total: 20_000, isRecorded: true))
        }
        return [
            Figure(name: "cache-hit.memory", value: median(memory), unit: "answers/s", better: .higher),
            Figure(name: "cache-hit.store", value: median(store), unit: "answers/s", better: .higher),
            Figure(name: "cache-hit.recorded", value: median(recorded), unit: "requests/s", better: .higher),
        ]
    }

    private static func once(memoryCount: Int, width: Int, total: Int, isRecorded: Bool) async throws -> Double {
        try await withScratchFolder { folder in
            let provider = ScriptedProvider(id: "empty", limits: ProviderLimits(concurrency: 64)) { call in
                .success(ProviderAnswer(.text(Body(call.request.prompt.plainText))))
            }
            var logger = Logger(label: "bench")
            logger.logLevel = .error
            let manager = AIRequestManager(
                store: try SQLiteStore(directory: folder), providers: try ProviderRegistry([provider]),
                configuration: EngineConfiguration(cache: CacheLimits(memoryCount: memoryCount)), logger: logger)
            return try await EngineService.run(manager) {
                for work in 0..<works { _ = try await manager.execute(request(work), with: "empty") }
                let calls = provider.record.calls.count
                let next = Counter()
                let rate = try await rate(width: width, total: total) {
                    let request = request(next.next() % works)
                    guard !isRecorded else {
                        _ = try await manager.execute(request, with: "empty")
                        return
                    }
                    guard try await manager.cachedResponse(to: request, from: "empty") != nil else {
                        throw AIServiceError(.invalidState, "An answer was not found in the cache.")
                    }
                }
                guard provider.record.calls.count == calls else {
                    throw AIServiceError(.invalidState, "A request that the cache could answer was sent.")
                }
                return rate
            }
        }
    }

    private static func request(_ work: Int) -> AIRequest {
        AIRequest(prompt: .text(Lifecycle.prompt), sample: work)
    }

    private final class Counter: Sendable {
        private let count = Atomic(0)

        func next() -> Int { count.add(1, ordering: .relaxed).newValue }
    }
}
