import Foundation
import Hablare
import HablareStores
import HablareSupport

/// The execution of planned events.
extension Simulation {
    func happen(_ event: PlannedEvent) {
        guard let process = state.withLock({ $0.slots[event.slot] }), !process.isCutOff else { return }
        switch event.what {
        case .operation(let operation, let timeout): perform(operation, event.number, timeout, in: process)
        case .fault(let fault): suffer(fault, process)
        }
    }

    private func perform(
        _ operation: ClientOperation, _ number: Int32, _ timeout: Int64?, in process: SimulatedProcess
    ) {
        guard let manager = process.manager else { return }
        let client = SimulatedClient(plan: plan, process: process, manager: manager, simulation: self)
        process.state.withLock { state in _ = state.pending.insert(number) }
        let task = process.spawner.start {
            await client.perform(number, operation)
            process.state.withLock { state in
                state.pending.remove(number)
                state.tasks[number] = nil
            }
        }
        process.state.withLock { $0.tasks[number] = task }
        guard let timeout else { return }
        scheduler.at(scheduler.now + timeout, lane: process.lane) { [self] in
            guard let task = process.state.withLock({ $0.tasks[number] }) else { return }
            record(.operationCancelled(number), in: process)
            task.cancel()
        }
    }

    private func suffer(_ fault: Fault, _ process: SimulatedProcess) {
        switch fault {
        case .crash(let point, let restart): doom(process, point, restart, machine: false)
        case .machineCrash(let point, let restart): doom(process, point, restart, machine: true)
        case .restart(let linger, let restart):
            process.state.withLock { state in
                state.linger = linger
                state.restart = restart
            }
            order(process)
        case .failCommits(let count): process.state.withLock { $0.failingCommits += count }
        case .loseCommits(let count, let areMade): process.state.withLock { $0.uncertainCommits = (count, areMade) }
        case .failClaims(let count): process.state.withLock { $0.failingClaims += count }
        case .failReads(let count): process.state.withLock { $0.failingReads += count }
        case .failFiles(let count): process.state.withLock { $0.failingFiles += count }
        case .loseFile(let number):
            if let file = disk?.content?.lose(number) { recorder.record(.fileLost(file)) }
        case .fillDisk(let time):
            disk?.setFull(true)
            scheduler.at(scheduler.now + time) { [self] in disk?.setFull(false) }
        case .jumpClock(let time):
            process.state.withLock { state in
                state.dateOffset += time
                state.latestOffset = max(state.latestOffset, state.dateOffset)
            }
            record(.clockJumped(milliseconds: time / 1_000_000), in: process)
        case .doze(let time):
            record(.fellAsleep, in: process)
            scheduler.setAsleep(true, lane: process.lane)
            scheduler.at(scheduler.now + time) { [self] in wake(process) }
        }
    }

    private func doom(_ process: SimulatedProcess, _ point: Fault.Point, _ restart: Int64, machine: Bool) {
        process.state.withLock { state in
            state.restart = restart
            state.diesWithMachine = machine
            if case .commit(let count, let isApplied) = point { state.deathAtCommit = (count, isApplied, machine) }
            if case .file(let count, let isWritten) = point { state.deathAtFile = (count, isWritten, machine) }
        }
        if case .steps(let count) = point { scheduler.lightFuse(count, lane: process.lane) }
    }

    private func wake(_ process: SimulatedProcess) {
        guard !process.isCutOff else { return }
        scheduler.setAsleep(false, lane: process.lane)
        record(.wokeUp, in: process)
    }

    func order(_ process: SimulatedProcess) {
        record(.shutdownOrdered, in: process)
        process.shutdownOrder.continuation.finish()
    }

    // MARK: Signals

    /// Notifies the other processes of a commit. Each process is notified after a random delay. Some notifications are
    /// lost.
    func signal(after writer: SimulatedProcess) {
        let others = state.withLock { $0.processes.values.sorted { $0.number < $1.number } }
        for other in others where other !== writer && !other.isCutOff {
            let isNew = other.state.withLock { state in
                defer { state.isSignalOnItsWay = true }
                return !state.isSignalOnItsWay
            }
            guard isNew else { continue }
            let delay = scheduler.draw(below: plan.signalDelay)
            let isLost = plan.lostSignals > 0 && scheduler.draw(below: 100) < plan.lostSignals
            scheduler.at(scheduler.now + delay, lane: other.lane) { [self] in
                other.state.withLock { $0.isSignalOnItsWay = false }
                guard !isLost else { return }
                record(.signalled, in: other)
                other.signals.publish(())
            }
        }
    }

    // MARK: Providers

    /// Returns the number of a request's attempts in the store, or -1 if the store does not contain the request.
    func attemptsOnDisk(of request: UUID) -> Int32 {
        let snapshot = disk?.tables.snapshots(SnapshotFilter(ids: [request], limit: 1)).first
        return snapshot.map { Int32($0.attempts) } ?? -1
    }

    /// Records the numbers of attempts in the store at a moment of an operation, for one request or for all requests.
    func recordAttempts(of request: UUID? = nil, at operation: Int32, in process: SimulatedProcess) {
        let filter = SnapshotFilter(ids: request.map { [$0] }, limit: 10_000)
        for snapshot in disk?.tables.snapshots(filter) ?? [] {
            let attempts = Int32(snapshot.attempts)
            let request = SimulationNames.number(snapshot.id)
            record(.attemptsOnDisk(operation: operation, request: request, attempts: attempts), in: process)
        }
    }

    /// Records that a provider is called. Returns the number and the planned behaviour of the call.
    func callStarted(
        _ call: ProviderCall, of provider: Int, in process: SimulatedProcess
    ) -> (Int32, ProviderBehaviour) {
        let request = SimulationNames.number(call.request.id)
        guard !process.isCutOff else { return (-1, .answer(after: 0)) }
        let (number, index) = state.withLock { state in
            state.lastCall += 1
            defer { state.calls[request, default: 0] += 1 }
            return (state.lastCall, state.calls[request] ?? 0)
        }
        recorder.record(
            .callStarted(
                call: number, request: request, provider: Int16(provider), attempt: Int32(call.attempt),
                content: SimulationNames.content(call.request.prompt),
                journalled: attemptsOnDisk(of: call.request.id)),
            in: process.number)
        let behaviours =
            plan.requests.indices.contains(Int(request)) ? plan.requests[Int(request)].behaviours : []
        return (number, index < behaviours.count ? behaviours[index] : .answer(after: 200_000_000))
    }
}
