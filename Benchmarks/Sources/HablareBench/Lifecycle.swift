import Foundation
import Hablare
import HablareSQLite
import HablareTestKit
import Logging

/// Durable requests a second with a provider that does nothing, beside the ceiling, in turn.
enum Lifecycle {
    static let widths = [1, 32, 256, 1024]
    static let prompt = "In the beginning was the Word, and the Word was with God, and the Word was God."

    /// A request for work of its own: identical ones would share a call.
    static func request(attemptTimeout: Duration? = nil) -> AIRequest {
        let id = UUID.timeOrdered()
        return AIRequest(
            id: id, prompt: .text(prompt), sample: Int(truncatingIfNeeded: id.hashValue),
            attemptTimeout: attemptTimeout)
    }

    static func total(_ width: Int) -> Int { width == 1 ? 2_000 : 20_000 }

    static func manager(_ store: any RequestStore, concurrency: Int = 4096) throws -> AIRequestManager {
        let provider = ScriptedProvider(id: "empty", limits: ProviderLimits(concurrency: concurrency)) { call in
            .success(ProviderAnswer(.text(Body(call.request.prompt.plainText))))
        }
        return try manager(store, provider)
    }

    static func manager(_ store: any RequestStore, _ provider: any AIServiceProvider) throws -> AIRequestManager {
        var logger = Logger(label: "bench")
        logger.logLevel = .error
        return AIRequestManager(store: store, providers: try ProviderRegistry([provider]), logger: logger)
    }

    static func ceiling(_ width: Int) async throws -> Double {
        try await withScratchFolder { folder in
            let probe = try Ceiling(file: folder.appendingPathComponent("ceiling.sqlite"))
            return try await rate(width: width, total: total(width)) { try await probe.lifecycle(prompt) }
        }
    }

    static func engine(_ width: Int, onDisk: Bool) async throws -> Double {
        try await withScratchFolder { folder in
            let store: any RequestStore = onDisk ? try SQLiteStore(directory: folder) : InMemoryStore()
            let manager = try manager(store)
            return try await EngineService.run(manager) {
                // The first request finds out that the store has no backlog.
                _ = try await manager.execute(request(), with: "empty")
                return try await rate(width: width, total: total(width)) {
                    _ = try await manager.execute(request(), with: "empty")
                }
            }
        }
    }

    /// `ceiling`, `lifecycle.sqlite` and `lifecycle.memory` at every width, medians of rounds in turn.
    static func run(rounds: Int, widths: [Int]) async throws -> [Figure] {
        var figures: [Figure] = []
        for width in widths {
            var bare: [Double] = []
            var disk: [Double] = []
            var memory: [Double] = []
            for _ in 0..<rounds {
                bare.append(try await ceiling(width))
                disk.append(try await engine(width, onDisk: true))
                memory.append(try await engine(width, onDisk: false))
            }
            let ratios = zip(disk, bare).map { $0 / $1 }
            figures += [
                Figure(name: "ceiling.\(width)", value: median(bare), unit: "requests/s", better: .higher),
                Figure(name: "lifecycle.sqlite.\(width)", value: median(disk), unit: "requests/s", better: .higher),
                Figure(
                    name: "lifecycle.sqlite.\(width).ratio", value: median(ratios), unit: "of the ceiling",
                    better: .higher),
                Figure(name: "lifecycle.memory.\(width)", value: median(memory), unit: "requests/s", better: .higher),
            ]
        }
        return figures
    }
}
