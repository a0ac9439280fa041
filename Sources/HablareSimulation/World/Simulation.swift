import Foundation
import Hablare
import HablareStores
import HablareSupport
import Logging

/// One history: the real engine runs in several simulated processes that share one simulated disk, according to a plan.
///
/// All code runs on the calling thread, and no code waits in real time. Each object runs one history.
package final class Simulation: Sendable {
    struct State: Sendable {
        /// The current process in each slot.
        var slots: [SimulatedProcess?]
        /// All processes that have not ended.
        var processes: [Int32: SimulatedProcess] = [:]
        var lastProcess: Int32 = -1
        var lastCall: Int32 = -1
        var nextRequest: Int32
        var calls: [Int32: Int] = [:]
        var isDraining = false
        var isQuiet = false
        var isEnding = false
        /// The time at which the last request became final.
        var finalSince: Int64?
        /// The number of requests that were not final at the last check, including held requests.
        var open = 0
        var drainBegan: Int64 = 0
        /// The times at which extremely long pauses end, by account.
        var pauses: [Int: Int64] = [:]
    }

    let plan: SimulationPlan
    let scheduler: SimulationScheduler
    let recorder: Recorder
    let state: Confined<State>
    let logger: Logger
    private let diskBox = Confined<SimulatedDisk?>(nil)

    /// Creates the simulation of a plan.
    package init(_ plan: SimulationPlan) {
        self.plan = plan
        scheduler = SimulationScheduler(seed: plan.interleaving, style: plan.style)
        recorder = Recorder(scheduler: scheduler)
        logger = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }
        state = Confined(
            State(slots: Array(repeating: nil, count: plan.slots), nextRequest: Int32(plan.requests.count)))
    }

    /// The maximum number of steps of a history. It is far above the number of steps that a history needs.
    static let stepBound: Int32 = 400_000

    /// Runs the history and returns its events.
    package func run() -> SimulationHistory {
        let disk = SimulatedDisk(
            content: plan.content.map { _ in SimulatedContent() }, knowsLiveness: plan.knowsLiveness,
            recorder: recorder,
            onDeath: { [self] in die($0, machine: $1) }, onWrite: { [self] in signal(after: $0) })
        diskBox.withLock { $0 = disk }
        for slot in 0..<plan.slots { start(slot) }
        for event in plan.events { scheduler.at(event.time) { [self] in happen(event) } }
        scheduler.at(plan.horizon) { [self] in drain() }
        step { self.state.withLock { $0.isQuiet } }
        let final = read(disk)
        end()
        step { self.state.withLock { $0.processes.isEmpty } }
        let left = state.withLock { $0.processes.count }
        let files = collectFiles(disk)
        recorder.record(.ended(processesLeft: Int32(left)))
        close()
        return SimulationHistory(
            plan: plan, events: recorder.events, jobs: recorder.jobs, final: final,
            entries: disk.tables.attempts, ledger: disk.tables.ledger(LedgerQuery()).total,
            spent: Dictionary(
                disk.tables.budgets().map { ($0.budget, $0.spent) }, uniquingKeysWith: { first, _ in first }),
            steps: Int(scheduler.stamp.steps), files: files)
    }

    /// Whether faults have stopped.
    var isDraining: Bool { state.withLock { $0.isDraining } }

    var disk: SimulatedDisk? { diskBox.withLock { $0 } }

    private func close() {
        diskBox.withLock { $0 = nil }
        state.withLock { state in
            state.slots = []
            state.processes = [:]
        }
        scheduler.close()
    }

    /// Runs steps until a condition is true or no step is possible.
    func step(until isDone: () -> Bool) {
        while !isDone() {
            switch scheduler.step() {
            case .went: if scheduler.stamp.steps > Self.stepBound { return }
            case .alert(.raised(let action)): action()
            case .alert(.fuseBurnt(let lane)): fuseBurnt(lane)
            case .nothing: return
            }
        }
    }

    /// Records an event of a living process.
    func record(_ what: TraceEvent.What, in process: SimulatedProcess) {
        guard !process.isCutOff else { return }
        recorder.record(what, in: process.number)
    }
}
