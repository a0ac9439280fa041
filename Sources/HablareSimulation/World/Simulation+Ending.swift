import Foundation
import Hablare
import HablareStores

/// The end of a history: faults cease, everything comes to rest, the public API is asked what there is, all shut down.
extension Simulation {
    private static let look: Int64 = 500_000_000
    /// No request needs longer than this once nothing goes wrong any more.
    private static let longest: Int64 = 1500 * 1_000_000_000

    /// Faults cease; where no process is, one starts.
    func rest() {
        recorder.record(.faultsEnded)
        state.withLock { state in
            state.isResting = true
            state.restBegan = scheduler.now
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

    /// Looks whether anything is still going on.
    private func look() {
        guard let disk else { return }
        let now = scheduler.now
        let all = disk.tables.snapshots(SnapshotFilter(phases: [.pending, .executing]))
        let live = all.count { !mayStay($0, now: now) }
        // One that its own process leaves alone may be taken by another one, when that looks around.
        let isSettled = all.allSatisfy { $0.waiting == .held }
        let (finalSince, restBegan) = state.withLock { state -> (Int64?, Int64) in
            // A held one may still be completed by a late answer: then its news takes its time, too.
            if all.count != state.open { state.finalSince = nil }
            state.open = all.count
            state.finalSince = live == 0 ? state.finalSince ?? now : nil
            return (state.finalSince, state.restBegan)
        }
        // Whoever waits must have heard by then: at the second look around at the latest.
        let patience = 3 * plan.configuration.renewalInterval.nanoseconds + plan.signalDelay + 5_000_000_000
        let isOver = finalSince.map { now - $0 > patience } ?? (now - restBegan > Self.longest)
        if isOver || (live == 0 && isSettled && !anybodyWaits) {
            recorder.record(.quiet(live: Int32(live)))
            state.withLock { $0.isQuiet = true }
        } else {
            scheduler.at(now + Self.look) { [self] in look() }
        }
    }

    /// Whether a request may stay as it is: held, or for a provider that asked to be left alone for very long. Only for
    /// not waiting in vain: whether it is right is judged later, from outside.
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

    /// Asks a process of its own, through the public API, what became of every request.
    func read(_ disk: SimulatedDisk) -> [FinalRecord] {
        ask(disk, later: 0) { [plan] in await FinalRecord.read(plan, $0) } ?? []
    }

    /// Lets a process that comes when every file is old collect what no row refers to; answers what there was, and what
    /// is left.
    func collectFiles(_ disk: SimulatedDisk) -> SimulatedFilesAtEnd {
        guard plan.content != nil else { return SimulatedFilesAtEnd() }
        let before = disk.filesAtEnd()
        let isDone = ask(disk, later: 2 * 3_600_000_000_000) { manager in
            do {
                let all = Retention(maximumAge: 1e9, maximumCount: .max, maximumBytes: .max)
                try await manager.prune(all)
                return true
            } catch {
                return false  // what is left counts
            }
        }
        var after = disk.filesAtEnd()
        after.abandoned = before.left
        if isDone != true { after.left = max(after.left, before.left) }
        return after
    }

    /// Asks a process of its own, whose clock is ahead by so many nanoseconds.
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

    /// Shuts everybody down.
    func end() {
        state.withLock { $0.isEnding = true }
        let processes = state.withLock { $0.processes.values.sorted { $0.number < $1.number } }
        for process in processes where !process.isCutOff {
            process.state.withLock { $0.linger = 0 }
            order(process)
        }
    }
}
