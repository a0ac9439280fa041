import Foundation
import Hablare

/// The state of a job in the store, as earlier runs and other processes left it.
struct JobStanding: Sendable, Equatable {
    /// The number of requests that this run wants. If an earlier run wanted more requests, the additional ones are
    /// ignored.
    let count: Int
    /// The id of this process. It is not counted among the other processes that work on the job.
    let ownProcess: Int32

    private(set) var ids: [Int: UUID] = [:]
    private(set) var completed: Set<UUID> = []
    private(set) var unsuccessful: [UUID] = []
    private(set) var held: Set<UUID> = []
    private(set) var holders: Set<Int32> = []
    private(set) var reasons: [UUID: JobGap.Reason] = [:]
    mutating func saw(_ snapshot: RequestSnapshot) {
        if let position = snapshot.position {
            guard position < count else { return }
            ids[position] = snapshot.id
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

    private static let unknown = AIServiceError(.providerFailed, "The reason is not recorded.")
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

/// The requests of a job, in order. If the same command is run again, it finds the same requests.
struct JobWork: Sendable {
    let job: JobKey
    let provider: ProviderID
    let count: Int
    let noun: String
    /// Whether the same command begins another job each time, as `hablare image --new` does.
    var isNewEachTime = false
    let request: @Sendable (_ index: Int, _ id: UUID) -> AIRequest
}

struct JobGap: Sendable, Hashable {
    enum Reason: Sendable, Hashable {
        case failed(AIServiceError)
        case cancelled
        /// The outcome of the request's last attempt is unknown, and the attempt may have been billed.
        case held
        /// The request waits or is in flight in another process. This process starts no more attempts.
        case waiting
    }

    /// The request's place in the job, from 0.
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
