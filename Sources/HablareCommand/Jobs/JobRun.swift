import Foundation
import Hablare
import HablareSupport

/// A run of the requests of a job. The engine of its manager must be running.
///
/// It submits missing requests, retries failed requests and waits for all of them. Held requests stay held, because
/// running them again may be paid for twice, and repeating the command is not an explicit retry.
struct JobRun: Sendable {
    /// The number of requests that are submitted or read at a time, so that they need not all be in memory.
    private static let page = 2_000
    private static let window = 64

    let work: JobWork
    let manager: AIRequestManager
    let lookout: Lookout
    let refusals: Refusals
    let reporter: ProgressReporter
    let console: Console?
    let seams: EngineSeams
    let ownProcess: Int32
    let seconds: (@Sendable (AIResponseData) async -> Double)?

    /// Runs to the end, and then calls `finish` with the requests and the missing answers. If the task is cancelled,
    /// everything on disk stays as it is.
    func run<Value: Sendable>(
        finish: @escaping @Sendable (_ ids: [UUID], _ gaps: [JobGap]) async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await reporter.run() }
            group.addTask { await lookout.run() }
            defer { group.cancelAll() }
            let known = try await manager.standing(of: work, ownProcess: ownProcess)
            for process in known.holders.sorted() {
                console?.note("Process \(process) also works on this; both share the work and get the same result.")
            }
            let ids = try await submitMissing(known)
            try await retry(known)
            return try await finish(ids, try await gaps(of: ids, known))
        }
    }

    private func submitMissing(_ known: JobStanding) async throws -> [UUID] {
        var ids: [UUID] = []
        ids.reserveCapacity(work.count)
        var new = OrderedIDs(from: seams.date())
        for start in stride(from: 0, to: work.count, by: Self.page) {
            try Task.checkCancellation()
            let range = start..<min(start + Self.page, work.count)
            let present = range.compactMap { known.ids[$0] }
            if present.count == range.count {
                ids += present
            } else {
                let batch = range.map { work.request($0, known.ids[$0] ?? new.next()) }
                ids += try await manager.submit(batch, to: work.provider, jobKey: work.job, startingAt: start)
            }
        }
        return ids
    }

    /// Retries failed and cancelled requests. A user who repeats a command wants this.
    private func retry(_ known: JobStanding) async throws {
        try await forEachConcurrently(known.unsuccessful, limit: Self.window) { id in
            do {
                try await manager.retry(id)
            } catch let error as AIServiceError where error.code == .invalidState || error.code == .unknownRequest {
                // Another process was first. The wait that follows shows how the request ended.
            }
        }
    }

    /// Waits until every request has an answer or will get none, or the engine is suspended. Returns the requests
    /// without an answer.
    private func gaps(of ids: [UUID], _ known: JobStanding) async throws -> [JobGap] {
        try await firstValue(of: [
            {
                do {
                    return try await wait(for: ids, known)
                } catch let error as AIServiceError where error.code == .suspended && refusals.isRefused {
                    return nil  // the engine is suspended: the store has the state of all requests
                }
            },
            { await refusals.untilSuspended() ? try await gapsNow(of: ids, known) : nil },
        ])
    }

    /// Returns the requests without an answer according to the store, and updates the counts from the store.
    private func gapsNow(of ids: [UUID], _ known: JobStanding) async throws -> [JobGap] {
        let gaps = try await manager.standing(of: work, ownProcess: ownProcess).gaps(of: ids)
        reporter.update { progress in
            progress.reused = known.completed.count
            progress.made = max(0, ids.count - gaps.count - known.completed.count)
            progress.failed = gaps.failures.count
            progress.cancelled = gaps.cancelled.count
            progress.held = gaps.held.count
        }
        return gaps
    }

    private func wait(for ids: [UUID], _ known: JobStanding) async throws -> [JobGap] {
        var gaps: [JobGap] = []
        // Requests held from the start need no wait.
        var held = known.held
        var round = Array(ids.enumerated())
        while !round.isEmpty {
            let found = Locked<[JobGap]>([])
            try await forEachConcurrently(round, limit: Self.window) { [held] index, id in
                let ending: Lookout.Ending
                do {
                    ending = held.contains(id) ? .held : try await lookout.ending(of: id)
                } catch let error as AIServiceError where error.code == .unknownRequest {
                    ending = .final(.failed(error))
                }
                if let reason = await count(ending, wasFinished: known.completed.contains(id)) {
                    found.withLock { $0.append(.init(index: index, request: id, reason: reason)) }
                }
            }
            gaps += found.withLock { $0 }
            // The user may have retried held requests meanwhile: wait for those like for any other.
            held = try await heldNow()
            let released = gaps.filter { $0.reason == .held && !held.contains($0.request) }
            reporter.update { $0.held -= released.count }
            gaps.removeAll { $0.reason == .held && !held.contains($0.request) }
            round = released.map { (offset: $0.index, element: $0.request) }
        }
        return gaps.sorted { $0.index < $1.index }
    }

    /// Counts how a wait ended. If the request has no answer, returns the reason.
    private func count(_ ending: Lookout.Ending, wasFinished: Bool) async -> JobGap.Reason? {
        switch ending {
        case .final(.completed(let response)):
            let heard = await seconds?(response)
            reporter.update { progress in
                if wasFinished { progress.reused += 1 } else { progress.made += 1 }
                if let heard { progress.audioSeconds = (progress.audioSeconds ?? 0) + heard }
            }
            return nil
        case .final(.failed(let error)):
            reporter.update { $0.failed += 1 }
            return .failed(error)
        case .final(.cancelled), .final(.pending), .final(.executing):
            reporter.update { $0.cancelled += 1 }
            return .cancelled
        case .held:
            reporter.update { $0.held += 1 }
            return .held
        case .left:
            return .waiting
        }
    }

    private func heldNow() async throws -> Set<UUID> {
        var held: Set<UUID> = []
        try await manager.forEachPage(SnapshotFilter(isHeld: true, job: work.job, limit: Self.page)) {
            held.formUnion($0.map(\.id))
        }
        return held
    }
}

/// A source of UUIDs that sort in the order in which they were created, so that `ps` lists the segments of a book in
/// order.
///
/// The time in each UUID is one microsecond later than the time in the previous UUID.
struct OrderedIDs {
    /// The time of the first UUID, in seconds since 1970.
    private let start: TimeInterval
    private var count = 0
    private var random = SystemRandomNumberGenerator()

    init(from start: Date) {
        self.start = start.timeIntervalSince1970
    }

    mutating func next() -> UUID {
        defer { count += 1 }
        return .timeOrdered(at: Date(timeIntervalSince1970: start + Double(count) / 1_000_000), using: &random)
    }
}
