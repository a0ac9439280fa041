import Foundation
import Hablare
import HablareSQLite
import HablareTestKit
import Synchronization

/// From the call of `submit` to the provider's start, one request at a time on an idle engine.
enum Pickup {
    private final class Starts: Sendable {
        private let moments = Mutex<[UUID: ContinuousClock.Instant]>([:])
        func note(_ id: UUID) { moments.withLock { $0[id] = ContinuousClock.now } }
        func moment(of id: UUID) -> ContinuousClock.Instant? { moments.withLock { $0[id] } }
    }

    static func run(rounds: Int) async throws -> [Figure] {
        let starts = Starts()
        let provider = ScriptedProvider(id: "empty") { call in
            starts.note(call.request.id)
            return .success(ProviderAnswer(.text("done")))
        }
        let milliseconds = try await withScratchFolder { folder in
            let manager = try Lifecycle.manager(try SQLiteStore(directory: folder), provider)
            return try await EngineService.run(manager) {
                var samples: [Double] = []
                for _ in 0..<(1000 * rounds) {
                    let request = Lifecycle.request()
                    let submitted = ContinuousClock.now
                    _ = try await manager.execute(request, with: "empty")
                    if let started = starts.moment(of: request.id) {
                        samples.append((started - submitted).seconds * 1000)
                    }
                }
                return samples
            }
        }
        return [
            Figure(name: "pickup.p50", value: percentile(milliseconds, 0.5), unit: "ms", better: .lower),
            Figure(name: "pickup.p99", value: percentile(milliseconds, 0.99), unit: "ms", better: .lower),
        ]
    }
}
