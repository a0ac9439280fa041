import Foundation
import Hablare
import HablareSQLite
import HablareTestKit

/// Ten thousand identical requests at once, on the SQLite store: how many calls they cost, and how long each waits for
/// the answer of a provider that takes a second.
enum Flight {
    private static let requests = 10_000

    static func run(rounds: Int) async throws -> [Figure] {
        var slowest: [Double] = []
        var calls = 0.0
        for _ in 0..<rounds {
            let (milliseconds, count) = try await once()
            slowest.append(percentile(milliseconds, 0.99))
            calls = max(calls, Double(count))
        }
        return [
            Figure(name: "flight.calls", value: calls, unit: "calls", better: .lower),
            Figure(name: "flight.p99", value: median(slowest), unit: "ms", better: .lower),
        ]
    }

    private static func once() async throws -> (milliseconds: [Double], calls: Int) {
        let provider = ScriptedProvider(id: "empty") { _ in
            do {
                try await Task.sleep(for: .seconds(1))
            } catch {
                return .failure(AIServiceError(.cancelled, "The benchmark was stopped."))
            }
            return .success(ProviderAnswer(.text("done")))
        }
        let milliseconds = try await withScratchFolder { folder in
            let manager = try Lifecycle.manager(try SQLiteStore(directory: folder), provider)
            return try await EngineService.run(manager) {
                try await withThrowingTaskGroup(of: Double.self, returning: [Double].self) { group in
                    for _ in 0..<requests {
                        group.addTask {
                            let began = ContinuousClock.now
                            _ = try await manager.execute(AIRequest(prompt: .text(Lifecycle.prompt)), with: "empty")
                            return (ContinuousClock.now - began).seconds * 1000
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
        }
        return (milliseconds, provider.record.calls.count)
    }
}
