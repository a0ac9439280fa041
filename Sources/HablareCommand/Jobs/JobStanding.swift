import Foundation
import Hablare

/// How a job stands in the store, as earlier runs and other processes have left it. Pure.
struct JobStanding: Sendable, Equatable {
    /// How many requests are wanted. A place behind them is of a run that wanted more, and counts for nothing here.
    let count: Int
    /// This process, which is no other that works on the job.
    let ownProcess: Int32

    private(set) var ids: [Int: UUID] = [:]
    private(set) var completed: Set<UUID> = []
    private(set) var unsuccessful: [UUID] = []
    private(set) var held: Set<UUID> = []
    private(set) var holders: Set<Int32> = []
    private(set) var reasons: [UUID: JobGap.Reason] = [:]
    mutating func saw(_ snapshot: RequestSnapshot) {
        if let place = snapshot.position {
            guard place < count else { return }
            ids[place] = snapshot.id
        }
        switch snapshot.phase {
        case .completed: completed.insert(snapshot.id)
        case .failed: ended(snapshot.id, .failed(snapshot.error ?? Self.unknown))
        case .cancelled: ended(snapshot.id, .cancelled)
        case .pending, .executing:
            if snapshot.waiting == .held {
                held.insert(snapshot.id)
                reasons[snapshot.id] = .held
            }
            if let holder = snapshot.holder, holder.processID != ownProcess { holders.insert(holder.processID) }
        }
    }

    private mutating func ended(_ id: UUID, _ reason: JobGap.Reason) {
        unsuccessful.append(id)
        reasons[id] = reason
    }

    func gaps(of ids: [UUID]) -> [JobGap] {
        ids.enumerated().compactMap { index, id in
            completed.contains(id) ? nil : JobGap(index: index, request: id, reason: reasons[id] ?? .waiting)
        }
    }

    private static let unknown = AIServiceError(.providerFailed, "No reason is recorded.")
}

extension AIRequestManager {
    func standing(of work: JobWork, ownProcess: Int32) async throws -> JobStanding {
        var standing = JobStanding(count: work.count, ownProcess: ownProcess)
        try await forEachPage(SnapshotFilter(job: work.job, limit: 2_000)) { page in
            for snapshot in page { standing.saw(snapshot) }
        }
        return standing
    }
}

/// The requests of a job, in their order: what a command has made, and finds again when it is run again.
struct JobWork: Sendable {
    let job: JobKey
    let provider: ProviderID
    let count: Int
    let noun: String
    /// Whether the same command makes another job each time, as with `--anew`.
    var isNewEachTime = false
    let request: @Sendable (_ index: Int, _ id: UUID) -> AIRequest
}

struct JobGap: Sendable, Hashable {
    enum Reason: Sendable, Hashable {
        case failed(AIServiceError)
        case cancelled
        /// Nobody knows whether its last attempt was carried out, and billed.
        case held
        /// It waits, or is under way elsewhere: this process asks for nothing more.
        case waiting
    }

    /// Its place, from 0.
    let index: Int
    let request: UUID
    let reason: Reason
}

extension [JobGap] {
    var failures: [(gap: JobGap, error: AIServiceError)] {
        compactMap { gap in
            guard case .failed(let error) = gap.reason else { return nil }
            return (gap, error)
        }
    }

    var cancelled: [JobGap] { filter { $0.reason == .cancelled } }
    var held: [JobGap] { filter { $0.reason == .held } }
    var waiting: [JobGap] { filter { $0.reason == .waiting } }
}
