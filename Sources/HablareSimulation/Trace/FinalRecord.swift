import Foundation
import Hablare

/// The state of a request at the end of a history, as the public API reports it.
package struct FinalRecord: Sendable, Hashable {
    /// An entry of the ledger.
    struct Attempt: Sendable, Hashable {
        let attempt: Int32
        let outcome: AttemptRecord.Outcome
        let billing: BillingState
        let provider: ProviderID?
        /// The cost in micro-dollars, or `nil` if it is unknown.
        let cost: Int64?
    }

    let request: Int32
    let status: Observed
    let phase: RequestPhase
    /// The number of the call that the text of the answer names, or -1 if there is no answer.
    let answer: Int32
    let attemptCount: Int32
    let attempts: [Attempt]
    let supersedes: Int32?
    /// Whether the request was answered from the cache.
    let isFromCache: Bool
    /// The reason why the request still waits.
    let waiting: WaitSaying?

    /// Reads the final states of all requests.
    static func read(_ plan: SimulationPlan, _ manager: AIRequestManager) async -> [FinalRecord] {
        var records: [FinalRecord] = []
        do {
            for snapshot in try await manager.snapshots(SnapshotFilter(limit: 10_000)) {
                records.append(try await FinalRecord(snapshot, plan, manager))
            }
        } catch {
            return records  // missing records count as lost
        }
        return records.sorted { $0.request < $1.request }
    }
}

extension FinalRecord {
    private init(_ snapshot: RequestSnapshot, _ plan: SimulationPlan, _ manager: AIRequestManager) async throws {
        request = SimulationNames.number(snapshot.id)
        let status = try await manager.status(for: snapshot.id)
        self.status = Observed(status)
        phase = snapshot.phase
        var answer: Int32 = -1
        if case .completed(let response) = status, case .success(.text(let body)) = response.result {
            if self.status != .lost {
                answer = SimulationNames.call(ofAnswer: String(decoding: try body.read(), as: UTF8.self))
            }
        }
        self.answer = answer
        attemptCount = Int32(snapshot.attempts)
        attempts = try await manager.attempts(for: snapshot.id).map {
            Attempt(
                attempt: Int32($0.attempt), outcome: $0.outcome, billing: $0.billing, provider: $0.provider,
                cost: $0.usage.costMicroDollars)
        }
        supersedes = snapshot.supersedes.map(SimulationNames.number)
        isFromCache = snapshot.isFromCache
        waiting = snapshot.waiting.map(WaitSaying.init)
    }
}
