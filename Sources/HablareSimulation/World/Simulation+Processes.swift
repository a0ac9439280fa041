import Foundation
import Hablare
import HablareSupport

/// The start, end and death of processes.
extension Simulation {
    /// Starts a process in an empty slot.
    func start(_ slot: Int) {
        guard let disk, state.withLock({ $0.slots[slot] == nil && !$0.isEnding }) else { return }
        let number = state.withLock { state in
            state.lastProcess += 1
            return state.lastProcess
        }
        let process = SimulatedProcess(number: number, slot: slot, scheduler: scheduler)
        let manager: AIRequestManager
        do {
            manager = try makeManager(process, disk)
        } catch {
            return  // unreachable: plans have valid providers
        }
        state.withLock { state in
            state.slots[slot] = process
            state.processes[number] = process
        }
        process.state.withLock { $0.manager = manager }
        recorder.record(.processStarted(slot: Int32(slot)), in: number)
        let service = process.spawner.start { [self] in await serve(process, manager) }
        process.state.withLock { $0.tasks[-1] = service }
    }

    func makeManager(_ process: SimulatedProcess, _ disk: SimulatedDisk) throws -> AIRequestManager {
        let providers = plan.providers.indices.map {
            SimulatedProvider(number: $0, of: plan, process: process, simulation: self)
        }
        let driver = SimulatedCommitDriver(scheduler: scheduler, lane: process.lane, delay: plan.commitDelay)
        process.state.withLock { $0.driver = driver }
        let seams = EngineSeams(
            clock: EngineClock(VirtualClock(scheduler: scheduler, lane: process.lane)), date: { process.date },
            makeID: { [self] in makeID() },
            jitter: { [scheduler] in Double(scheduler.draw(below: 1 << 20)) / Double(1 << 20) },
            taskExecutor: process.executor, makeCommitDriver: { driver })
        return AIRequestManager(
            store: SimulatedStore(
                process: process, disk: disk, recorder: recorder, scheduler: scheduler, plan: plan),
            providers: try ProviderRegistry(providers), configuration: plan.configuration(ofSlot: process.slot),
            seams: seams,
            logger: logger)
    }

    private func makeID() -> UUID {
        let number = state.withLock { state in
            defer { state.nextRequest += 1 }
            return state.nextRequest
        }
        return SimulationNames.id(number, seed: plan.seed)
    }

    private func serve(_ process: SimulatedProcess, _ manager: AIRequestManager) async {
        let observed: Observed
        do {
            try await EngineService.run(manager) { [order = process.shutdownOrder.stream] in
                for await _ in order {}
            }
            observed = .done
        } catch {
            observed = Observed(thrown: error)
        }
        process.state.withLock { $0.isServiceRunning = false }
        guard !process.isCutOff else { return }
        recorder.record(.serviceEnded(observed), in: process.number)
        scheduler.raise { [self] in ended(process, failed: observed != .done) }
    }

    /// Handles the end of a process's engine. If the engine failed, the process ends at once. If the engine was shut
    /// down, the process continues for a while.
    private func ended(_ process: SimulatedProcess, failed: Bool) {
        guard !process.isCutOff else { return }
        vacate(process)
        if failed {
            remove(process)
            scheduler.at(scheduler.now + 1_000_000_000) { [self] in start(process.slot) }
        } else {
            let (wait, restart) = process.state.withLock { ($0.linger, $0.restart) }
            scheduler.at(scheduler.now + wait) { [self] in
                linger(process, until: scheduler.now + 60_000_000_000)
            }
            if let restart { scheduler.at(scheduler.now + restart) { [self] in start(process.slot) } }
        }
    }

    /// Ends the process as soon as all operations of its simulated app have returned.
    private func linger(_ process: SimulatedProcess, until deadline: Int64) {
        guard !process.isCutOff else { return }
        let isBusy = process.state.withLock { !$0.pending.isEmpty }
        guard isBusy, scheduler.now < deadline else { return remove(process) }
        scheduler.at(scheduler.now + 500_000_000) { [self] in linger(process, until: deadline) }
    }

    private func vacate(_ process: SimulatedProcess) {
        state.withLock { state in
            if state.slots[process.slot] === process { state.slots[process.slot] = nil }
        }
    }

    /// Ends the process, and frees its memory.
    private func remove(_ process: SimulatedProcess) {
        recorder.record(.processGone, in: process.number)
        process.cut()
        bury(process)
    }

    func bury(_ process: SimulatedProcess) {
        disk?.unlockAll(of: process)
        vacate(process)
        if !process.bury(within: 50_000) { recorder.record(.zombieStuck, in: process.number) }
        state.withLock { $0.processes[process.number] = nil }
    }

    // MARK: Death

    /// Kills a process. Its further actions in the current step have no effect on other processes.
    func die(_ process: SimulatedProcess, machine isOfMachine: Bool) {
        guard !process.isCutOff else { return }
        let victims =
            isOfMachine
            ? state.withLock { $0.processes.values.sorted { $0.number < $1.number } }.filter { !$0.isCutOff }
            : [process]
        if isOfMachine { recorder.record(.machineCrashed, in: process.number) }
        let restart = process.state.withLock { $0.restart } ?? 0
        for victim in victims {
            recorder.record(.crashed, in: victim.number)
            victim.cut()
            scheduler.raise { [self] in
                let isWorking = state.withLock { $0.slots[victim.slot] === victim }
                bury(victim)
                if isWorking { scheduler.at(scheduler.now + restart) { [self] in start(victim.slot) } }
            }
        }
    }

    /// Kills a process that has executed its planned number of steps.
    func fuseBurnt(_ lane: Int) {
        let process = state.withLock { $0.processes.values.first { $0.lane == lane } }
        guard let process else { return }
        die(process, machine: process.state.withLock { $0.diesWithMachine })
    }
}
