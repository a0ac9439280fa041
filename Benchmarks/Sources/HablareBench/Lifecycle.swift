import Foundation
import Hablare
import HablareSQLite
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

    /// `ceiling`, `lifecycle.sqlite` and `lifecycle.memory` at every width, medians of rounds in turn; and what each
    /// takes of the processors.
    static func run(rounds: Int, widths: [Int]) async throws -> [Figure] {
        var figures: [Figure] = []
        for width in widths {
            var bare: [Pace] = []
            var disk: [Pace] = []
            var memory: [Pace] = []
            for _ in 0..<rounds {
                bare.append(try await ceiling(width))
                disk.append(try await engine(width, onDisk: true))
                memory.append(try await engine(width, onDisk: false))
            }
            let ratios = zip(disk, bare).map { $0.rate / $1.rate }
            figures += paces("ceiling.\(width)", bare) + paces("lifecycle.sqlite.\(width)", disk)
            figures += [
                Figure(
                    name: "lifecycle.sqlite.\(width).ratio", value: median(ratios), unit: "of the ceiling",
                    better: .higher)
            ]
            figures += paces("lifecycle.memory.\(width)", memory)
        }
        return figures
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
