import Foundation
import Hablare
import HablareSQLite
import HablareTestKit

/// 100,000 responses are given up while requests run: how long those take meanwhile, and beforehand.
enum Prune {
    static let count = 100_000
    private static let callers = 32

    static func run(rounds: Int) async throws -> [Figure] {
        var before: [Double] = []
        var meanwhile: [Double] = []
        var ratios: [Double] = []
        var seconds: [Double] = []
        for _ in 0..<rounds {
            let round = try await withScratchFolder { try await measure($0) }
            before.append(round.before)
            meanwhile.append(round.meanwhile)
            ratios.append(round.meanwhile / round.before)
            seconds.append(round.seconds)
        }
        return [
            Figure(name: "prune.before.p99", value: median(before), unit: "ms", better: .lower),
            Figure(name: "prune.meanwhile.p99", value: median(meanwhile), unit: "ms", better: .lower),
            Figure(name: "prune.ratio", value: median(ratios), unit: "times as long", better: .lower),
            Figure(name: "prune.time", value: median(seconds), unit: "s", better: .lower),
        ]
    }

    private static func measure(_ folder: URL) async throws -> (before: Double, meanwhile: Double, seconds: Double) {
        let store = try SQLiteStore(directory: folder)
        try fill(store)
        let manager = try Lifecycle.manager(store)
        return try await EngineService.run(manager) {
            _ = try await latencies(manager) { try await Task.sleep(for: .seconds(1)) }  // warms up
            let before = try await latencies(manager) { try await Task.sleep(for: .seconds(4)) }
            let clock = ContinuousClock()
            let start = clock.now
            let meanwhile = try await latencies(manager) {
                // What runs meanwhile is young, and stays.
                let report = try await manager.prune(Retention(maximumAge: 3600, maximumCount: .max))
                guard report.responses == count else { throw BenchmarkFailure(what: "prune: \(report)") }
            }
            return (percentile(before, 0.99), percentile(meanwhile, 0.99), (clock.now - start).seconds)
        }
    }

    /// What each request took, in milliseconds, that callers ran one after another for as long as something else took.
    private static func latencies(
        _ manager: AIRequestManager, while body: @escaping @Sendable () async throws -> Void
    ) async throws -> [Double] {
        try await withThrowingTaskGroup(of: [Double].self) { group in
            for _ in 0..<callers {
                group.addTask {
                    var samples: [Double] = []
                    while !Task.isCancelled {
                        let start = ContinuousClock.now
                        do {
                            _ = try await manager.execute(Lifecycle.request(), with: "empty")
                        } catch is CancellationError {
                            break
                        }
                        samples.append((ContinuousClock.now - start).seconds * 1000)
                    }
                    return samples
                }
            }
            group.addTask {
                try await body()
                return []
            }
            var samples: [Double] = []
            while let some = try await group.next() {
                if some.isEmpty { group.cancelAll() }
                samples += some
            }
            return samples
        }
    }

    /// Responses that are past their age.
    private static func fill(_ store: SQLiteStore) throws {
        let instance = ProviderInstance(rawValue: "empty")
        let old = Date(timeIntervalSinceNow: -24 * 3600)
        let registration = OwnerRegistration(host: "", processID: 0, lockName: "", expiresAt: old)
        guard case .owner(let owner) = try store.commit([.registerOwner(registration)]).receipts.first else {
            throw BenchmarkFailure(what: "prune: no owner")
        }
        let flight = FlightLifecycle(state: .executing(owner), token: 1, attempt: 1, generation: 1)
        for start in stride(from: 0, to: count, by: 4096) {
            let requests = (start..<min(start + 4096, count)).map { number in
                AIRequest(prompt: .text("\(number): \(Lifecycle.prompt)"))
            }
            let submissions = try requests.map { request in
                StoreWrite.submit(
                    Submission(
                        request: request, provider: "empty", fingerprint: try Fingerprint(request, instance: instance),
                        flight: flight, createdAt: old))
            }
            let receipts = try store.commit(submissions).receipts
            let ends = zip(requests, receipts).compactMap { request, receipt -> StoreWrite? in
                guard case .submitted(let stored) = receipt else { return nil }
                let response = AIResponseData(
                    requestID: request.id, providerID: "empty", result: .success(.text(Body(Lifecycle.prompt))),
                    receivedAt: old)
                return .settle(
                    AttemptEnd(
                        flight: stored.flight, request: request.id, provider: "empty", lifecycle: flight,
                        outcome: .completed(response), billing: .billed, startedAt: old, endedAt: old))
            }
            _ = try store.commit(ends)
        }
    }
}
