import Foundation
import Hablare
import HablareSQLite
import HablareTestKit

/// Chunks a second from a provider that yields as fast as it may to one reader who reads as fast as it can, the store
/// on disk; and the peak memory of a process in which 100 MB pass that way.
enum Streaming {
    private static let chunkCount = 400_000
    private static let chunk = Data("All of a sudden, so ".utf8)
    private static let largeChunk = Data((0..<16_384).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    private static let largeCount = 6_104  // 100 MB and a little

    /// `stream.volatile` and `stream.durable`, medians of rounds in turn.
    static func run(rounds: Int) async throws -> [Figure] {
        var rates: [StreamingPolicy.Durability: [Double]] = [:]
        for _ in 0..<rounds {
            for durability in StreamingPolicy.Durability.allCases {
                let seconds = try await withScratchFolder { folder in
                    try await time(folder, durability, chunk, chunkCount)
                }
                rates[durability, default: []].append(Double(chunkCount) / seconds)
            }
        }
        return StreamingPolicy.Durability.allCases.map { durability in
            Figure(
                name: "stream.\(durability)", value: median(rates[durability] ?? []), unit: "chunks/s", better: .higher)
        }
    }

    /// `stream.memory`: measured in a child, because a peak is a process's.
    static func memory() async throws -> [Figure] {
        var figures: [Figure] = []
        for durability in StreamingPolicy.Durability.allCases {
            let kilobytes = try await withScratchFolder { folder in
                try Memory.measureChild(["stream", folder.path, String(durability.rawValue)])
            }
            figures.append(
                Figure(
                    name: "stream.memory.\(durability)", value: kilobytes * 1024 / 1_000_000, unit: "MB", better: .lower
                ))
        }
        return figures
    }

    /// The child: prints its peak memory in kilobytes once 100 MB were streamed, read and recorded.
    static func child(_ folder: String, _ durability: Int) async throws {
        _ = try await time(
            URL(fileURLWithPath: folder), StreamingPolicy.Durability(rawValue: durability) ?? .durable, largeChunk,
            largeCount)
        print(Recovery.peakMemory())
    }

    /// The seconds from the submission to the reader's last element.
    private static func time(
        _ folder: URL, _ durability: StreamingPolicy.Durability, _ chunk: Data, _ count: Int
    ) async throws -> Double {
        let provider = ScriptedProvider(id: "empty", responseType: .data) { call in
            do {
                for _ in 0..<count { try await call.yield(chunk) }
                return .success(ProviderAnswer(streamed: .data))
            } catch {
                return .failure(AIServiceError(.providerFailed, "Cut off."))
            }
        }
        let manager = try Lifecycle.manager(try SQLiteStore(directory: folder), provider)
        return try await EngineService.run(manager) {
            let start = ContinuousClock.now
            let request = AIRequest(
                prompt: "p", attemptTimeout: .seconds(600), streaming: StreamingPolicy(durability: durability))
            try await manager.submit(request, to: "empty")
            var chunks = 0
            var bytes = 0
            for try await element in try await manager.stream(for: request.id) {
                switch element {
                case .chunk(let chunk):
                    chunks += 1
                    bytes += chunk.bytes.count
                case .restarted: throw BenchmarkFailure(what: "stream: it was begun anew")
                case .completed(let response):
                    guard try response.content.body?.byteCount == bytes else {
                        throw BenchmarkFailure(what: "stream: the answer is not what was streamed")
                    }
                }
            }
            guard chunks == count else { throw BenchmarkFailure(what: "stream: \(chunks) of \(count) chunks") }
            return (ContinuousClock.now - start) / .seconds(1)
        }
    }
}
