import Foundation
import Hablare
import HablareAudio

/// Runs a narration on a manager whose engine is running: what is missing is submitted, what failed is tried again,
/// everything is waited for, and the audio is joined.
struct NarrationRun: Sendable {
    /// How many requests are submitted, or read, at a time: all of them need not be in memory.
    private static let page = 2_000
    /// How many outcomes are waited for at once.
    private static let window = 64

    let plan: NarrationPlan
    let files: NarrationFiles
    let manager: AIRequestManager
    let reporter: ProgressReporter
    let console: Console?
    let seams: EngineSeams
    let ownProcess: Int32

    /// Runs to the end. Cancelling the task leaves everything where it is, on disk.
    func run() async throws -> NarrationOutcome {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await reporter.run() }
            defer { group.cancelAll() }
            let known = try await look()
            let ids = try await submitMissing(known)
            try await retry(known)
            let failures = try await wait(for: ids, finishedBefore: known.completed)
            guard failures.isEmpty else { return NarrationOutcome(failures: failures) }
            return NarrationOutcome(audio: try await join(ids))
        }
    }

    /// What an earlier run, or another process, has left of this job.
    private struct Known: Sendable {
        var ids: [Int: UUID] = [:]
        var completed: Set<UUID> = []
        var unsuccessful: [UUID] = []
        var holders: Set<Int32> = []
    }

    private func look() async throws -> Known {
        var known = Known()
        var filter = SnapshotFilter(job: plan.job, limit: Self.page)
        while true {
            let page = try await manager.snapshots(filter)
            for snapshot in page {
                if let position = snapshot.position { known.ids[position] = snapshot.id }
                switch snapshot.phase {
                case .completed: known.completed.insert(snapshot.id)
                case .failed, .cancelled: known.unsuccessful.append(snapshot.id)
                case .pending, .executing:
                    if let holder = snapshot.holder, holder.processID != ownProcess {
                        known.holders.insert(holder.processID)
                    }
                }
            }
            guard page.count == Self.page, let last = page.last else { break }
            filter.after = last.id
        }
        for process in known.holders.sorted() {
            console?.note("Process \(process) works on this text too; both share the work and get the same result.")
        }
        return known
    }

    /// Submits what is not there, and answers with all requests in order.
    private func submitMissing(_ known: Known) async throws -> [UUID] {
        var ids: [UUID] = []
        ids.reserveCapacity(plan.segments.count)
        var new = OrderedIDs(from: seams.date())
        for start in stride(from: 0, to: plan.segments.count, by: Self.page) {
            try Task.checkCancellation()
            let range = start..<min(start + Self.page, plan.segments.count)
            let present = range.compactMap { known.ids[$0] }
            if present.count == range.count {
                ids += present
            } else {
                let batch = range.map { plan.request($0, id: known.ids[$0] ?? new.next()) }
                ids += try await manager.submit(batch, to: plan.provider, jobKey: plan.job, startingAt: start)
            }
        }
        return ids
    }

    /// Tries again what failed or was cancelled: that is what running a command again means.
    private func retry(_ known: Known) async throws {
        try await forEachConcurrently(known.unsuccessful, limit: Self.window) { id in
            do {
                try await manager.retry(id)
            } catch let error as AIServiceError where error.code == .invalidState || error.code == .unknownRequest {
                // Another process was first. The wait that follows shows what became of it.
            }
        }
    }

    private func wait(for ids: [UUID], finishedBefore: Set<UUID>) async throws -> [NarrationOutcome.Failure] {
        let failures = Guarded<[NarrationOutcome.Failure]>([])
        try await forEachConcurrently(ids.enumerated(), limit: Self.window) { index, id in
            let status: RequestStatus
            do {
                status = try await manager.outcome(of: id)
            } catch let error as AIServiceError where error.code == .unknownRequest {
                status = .failed(error)
            }
            switch status {
            case .completed(let response):
                let seconds = await Self.seconds(of: response)
                reporter.update { progress in
                    if finishedBefore.contains(id) { progress.reused += 1 } else { progress.made += 1 }
                    progress.audioSeconds = (progress.audioSeconds ?? 0) + seconds
                }
            case .failed(let error):
                reporter.update { $0.failed += 1 }
                failures.withLock { $0.append(.init(segment: index, request: id, error: error)) }
            case .cancelled, .pending, .executing:
                reporter.update { $0.cancelled += 1 }
                failures.withLock { $0.append(.init(segment: index, request: id, error: nil)) }
            }
        }
        return failures.withLock { $0.sorted { $0.segment < $1.segment } }
    }

    /// How long a response is to be heard; 0 when it cannot be, which joining will say.
    @concurrent private static func seconds(of response: AIResponseData) async -> Double {
        do {
            guard let source = try AudioSource(response) else { return 0 }
            return try AudioInspector().properties(of: source).seconds
        } catch {
            return 0
        }
    }

    // MARK: Joining

    /// Joins the audio, after any other process that is just doing the same.
    private func join(_ ids: [UUID]) async throws -> JoinedAudio {
        while true {
            do {
                return try await NarrationJoin(plan: plan, files: files, manager: manager).run(ids)
            } catch let error as AudioError where error.code == .busy {
                try await seams.clock.sleep(for: .milliseconds(200))
            }
        }
    }
}
