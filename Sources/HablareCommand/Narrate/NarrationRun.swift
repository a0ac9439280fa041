import Foundation
import Hablare
import HablareAudio

/// Runs a narration on a manager whose engine is running: what is missing is submitted, what failed is tried again,
/// everything is waited for, and the audio is joined. What is held stays held: making it may be paid for twice, and
/// running a command again is not the word that takes.
struct NarrationRun: Sendable {
    /// How many requests are submitted, or read, at a time: all of them need not be in memory.
    private static let page = 2_000
    /// How many outcomes are waited for at once.
    private static let window = 64

    let plan: NarrationPlan
    let files: NarrationFiles
    let manager: AIRequestManager
    let lookout: Lookout
    let reporter: ProgressReporter
    let console: Console?
    let seams: EngineSeams
    let ownProcess: Int32
    /// Where the store is, for advice.
    let data: DataOptions

    /// Runs to the end. Cancelling the task leaves everything where it is, on disk.
    func run() async throws -> NarrationOutcome {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await reporter.run() }
            group.addTask { await lookout.run() }
            defer { group.cancelAll() }
            let known = try await look()
            let ids = try await submitMissing(known)
            try await retry(known)
            let gaps = try await wait(for: ids, known)
            guard gaps.isEmpty else { return NarrationOutcome(gaps: gaps) }
            return NarrationOutcome(audio: try await join(ids))
        }
    }

    /// What an earlier run, or another process, has left of this job.
    private struct Known: Sendable {
        var ids: [Int: UUID] = [:]
        var completed: Set<UUID> = []
        var unsuccessful: [UUID] = []
        var held: Set<UUID> = []
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
                    if snapshot.waiting == .held { known.held.insert(snapshot.id) }
                    if let holder = snapshot.holder, holder.processID != ownProcess {
                        known.holders.insert(holder.processID)
                    }
                }
            }
            guard page.count == Self.page, let last = page.last else { break }
            filter.continues(after: last)
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

    /// Waits until every segment has its audio or gets none, and answers with those that get none.
    private func wait(for ids: [UUID], _ known: Known) async throws -> [NarrationOutcome.Gap] {
        var gaps: [NarrationOutcome.Gap] = []
        // Those that were held beforehand need no wait to know it.
        var held = known.held
        var round = Array(ids.enumerated())
        while !round.isEmpty {
            let found = Guarded<[NarrationOutcome.Gap]>([])
            try await forEachConcurrently(round, limit: Self.window) { [held] index, id in
                let ending: Lookout.Ending
                do {
                    ending = held.contains(id) ? .held : try await lookout.ending(of: id)
                } catch let error as AIServiceError where error.code == .unknownRequest {
                    ending = .final(.failed(error))
                }
                if let reason = await count(ending, wasFinished: known.completed.contains(id)) {
                    found.withLock { $0.append(.init(segment: index, request: id, reason: reason)) }
                }
            }
            gaps += found.withLock { $0 }
            // Somebody may have given the word meanwhile: those are waited for like any other.
            held = try await heldNow()
            let released = gaps.filter { $0.reason == .held && !held.contains($0.request) }
            reporter.update { $0.held -= released.count }
            gaps.removeAll { $0.reason == .held && !held.contains($0.request) }
            round = released.map { (offset: $0.segment, element: $0.request) }
        }
        return gaps.sorted { $0.segment < $1.segment }
    }

    /// Counts how a wait ended, and answers why the segment has no audio, if it has none.
    private func count(_ ending: Lookout.Ending, wasFinished: Bool) async -> NarrationOutcome.Gap.Reason? {
        switch ending {
        case .final(.completed(let response)):
            let seconds = await Self.seconds(of: response)
            reporter.update { progress in
                if wasFinished { progress.reused += 1 } else { progress.made += 1 }
                progress.audioSeconds = (progress.audioSeconds ?? 0) + seconds
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
        }
    }

    /// The requests of this job that are held.
    private func heldNow() async throws -> Set<UUID> {
        var held: Set<UUID> = []
        var filter = SnapshotFilter(isHeld: true, job: plan.job, limit: Self.page)
        while true {
            let page = try await manager.snapshots(filter)
            held.formUnion(page.map(\.id))
            guard page.count == Self.page, let last = page.last else { return held }
            filter.continues(after: last)
        }
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
                return try await NarrationJoin(plan: plan, files: files, manager: manager, data: data).run(ids)
            } catch let error as AudioError where error.code == .busy {
                try await seams.clock.sleep(for: .milliseconds(200))
            }
        }
    }
}
