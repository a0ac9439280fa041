import Foundation
import Hablare
import HablareStores
import HablareSupport

/// The end of a history: no more faults occur, the requests become final, their states are read through the public API,
/// and all processes shut down.
extension Simulation {
    private static let look: Int64 = 500_000_000
    /// The maximum time, in nanoseconds, that a request may need after the last fault.
    private static let longest: Int64 = 1500 * 1_000_000_000

    /// Stops all faults, and starts a process in each empty slot.
    func drain() {
        recorder.record(.faultsEnded)
        state.withLock { state in
            state.isDraining = true
            state.drainBegan = scheduler.now
        }
        disk?.setFull(false)
        let processes = state.withLock { $0.processes.values.sorted { $0.number < $1.number } }
        for process in processes where !process.isCutOff { process.heal() }
        if plan.endsAfresh, let first = processes.first(where: { !$0.isCutOff }) {
            first.state.withLock { $0.restart = 0 }
            die(first, machine: true)
        }
        for slot in 0..<plan.slots where state.withLock({ $0.slots[slot] == nil }) { start(slot) }
        look()
    }

    /// Checks whether work is still in progress.
    private func look() {
        guard let disk else { return }
        let now = scheduler.now
        let all = disk.tables.snapshots(SnapshotFilter(phases: [.pending, .executing]))
        let live = all.count { !mayStay($0, now: now) }
        // Another process may take a request that its own process leaves alone, when it next looks for work.
        let isSettled = all.allSatisfy { $0.waiting == .held }
        let (finalSince, drainBegan) = state.withLock { state -> (Int64?, Int64) in
            // A late answer may still complete a held request. The news of that also takes time.
            if all.count != state.open { state.finalSince = nil }
            state.open = all.count
            state.finalSince = live == 0 ? state.finalSince ?? now : nil
            return (state.finalSince, state.drainBegan)
        }
        // All waiters must have been answered by then: at the second lookup at the latest.
        let settlingTime = 3 * plan.configuration.renewalInterval.nanoseconds + plan.signalDelay + 5_000_000_000
        let isOver = finalSince.map { now - $0 > settlingTime } ?? (now - drainBegan > Self.longest)
        if isOver || (live == 0 && isSettled && !anybodyWaits) {
            recorder.record(.quiet(live: Int32(live)))
            state.withLock { $0.isQuiet = true }
        } else {
            scheduler.at(now + Self.look) { [self] in look() }
        }
    }

    /// Returns whether a request may stay as it is. This is the case if it is held, or if its provider asked for a very
    /// long pause. This check only saves time. The rules later check whether the state is allowed.
    private func mayStay(_ snapshot: RequestSnapshot, now: Int64) -> Bool {
        guard snapshot.phase == .pending else { return false }
        if snapshot.waiting == .held { return snapshot.deadline == nil }
        let account = plan.account(ofProvider: snapshot.providerID)
        return state.withLock { ($0.pauses[account] ?? 0) > now + Self.longest }
    }

    private var anybodyWaits: Bool {
        state.withLock { $0.processes.values.map(\.self) }.contains { process in
            !process.isCutOff && process.state.withLock { !$0.pending.isEmpty }
        }
    }

    /// Reads the states of all requests, through the public API of an additional process.
    func read(_ disk: SimulatedDisk) -> [FinalRecord] {
        ask(disk, later: 0) { [plan] in await FinalRecord.read(plan, $0) } ?? []
    }

    /// Removes the orphaned content files. The process that does so has a clock so far ahead that every file is old
    /// enough. Returns the numbers of orphaned files before and after the removal.
    func collectFiles(_ disk: SimulatedDisk) -> SimulatedFilesAtEnd {
        guard plan.content != nil else { return SimulatedFilesAtEnd() }
        let before = disk.filesAtEnd()
        let isDone = ask(disk, later: 2 * 3_600_000_000_000) { manager in
            do {
                let all = Retention(maximumAge: 1e9, maximumCount: .max, maximumBytes: .max)
                try await manager.prune(all)
                return true
            } catch {
                return false  // the remaining files count
            }
        }
        var after = disk.filesAtEnd()
        after.abandoned = before.left
        if isDone != true { after.left = max(after.left, before.left) }
        return after
    }

    /// Starts an additional process, and runs a closure with its manager. The clock of this process is ahead by an
    /// offset in nanoseconds.
    private func ask<R: Sendable>(
        _ disk: SimulatedDisk, later offset: Int64, _ question: @escaping @Sendable (AIRequestManager) async -> R
    ) -> R? {
        let number = state.withLock { state in
            state.lastProcess += 1
            return state.lastProcess
        }
        let process = SimulatedProcess(number: number, slot: -1, scheduler: scheduler)
        process.state.withLock { $0.dateOffset = offset }
        let manager: AIRequestManager
        do {
            manager = try makeManager(process, disk)
        } catch {
            return nil  // unreachable: plans have valid providers
        }
        let answer = Confined<R?>(nil)
        let reader = process.spawner.start {
            let read = await question(manager)
            answer.withLock { $0 = read }
        }
        step { answer.withLock { $0 != nil } }
        process.cut()
        process.state.withLock { $0.isServiceRunning = false }
        if !process.bury(within: 50_000) { recorder.record(.zombieStuck, in: number) }
        reader.cancel()
        return answer.withLock { $0 }
    }

    /// Shuts down all processes.
    func end() {
        state.withLock { $0.isEnding = true }
        let processes = state.withLock { $0.processes.values.sorted { $0.number < $1.number } }
        for process in processes where !process.isCutOff {
            process.state.withLock { $0.linger = 0 }
            order(process)
        }
    }
}
