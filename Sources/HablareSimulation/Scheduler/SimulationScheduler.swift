import Hablare
import HablareSupport
import HablareTestKit

/// Runs all jobs of a simulated history, one at a time on the calling thread, in an order that a seed determines. The
/// scheduler also counts the virtual time, which is the time of the simulation. If no job is ready, time advances to
/// the next timer. Sometimes it advances a little although jobs are ready, as on a busy machine.
///
/// Each simulated process has a lane: the queue of its jobs. A lane can sleep, like a laptop: its jobs do not run and
/// its timers do not fire, while time advances. A lane can also be cut off, like a process that crashes: its jobs are
/// no longer chosen, and its tasks that sleep are woken.
package final class SimulationScheduler: Sendable {
    /// A job or an action that the scheduler runs.
    enum Entry: Sendable {
        case job(UnownedJob)
        case action(@Sendable () -> Void)
    }

    /// An event that the simulation must handle before the next step.
    enum Alert: Sendable {
        /// A lane has executed its allowed number of steps.
        case fuseBurnt(lane: Int)
        /// The simulation must run an action.
        case raised(@Sendable () -> Void)
    }

    enum Next: Sendable {
        case run(Entry, ProcessExecutor)
        case alert(Alert)
        case fire([Due])
        /// No job is ready, and no task sleeps.
        case nothing
    }

    enum Due: Sendable {
        case wake(CheckedContinuation<Void, any Error>)
        case act(@Sendable () -> Void)
    }

    private struct Lane: Sendable {
        var executor: ProcessExecutor?
        var ready: [Entry] = []
        var isAsleep = false
        var isCutOff = false
        /// The number of further steps after which an alert is raised. 0 means no limit.
        var fuse = 0
        /// The timers that should have fired while the lane slept.
        var missed: [SimulationTimers.Payload] = []
    }

    private struct State: Sendable {
        var now: Int64 = 0
        var steps: Int32 = 0
        var lanes: [Lane] = []
        var timers = SimulationTimers()
        var sleepers: [Int: (lane: Int, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var lastSleeper = 0
        var alerts: [Alert] = []
        var random: SeededGenerator
    }

    private let style: SchedulingStyle
    private let state: Confined<State>

    /// Creates a scheduler at time zero.
    init(seed: UInt64, style: SchedulingStyle) {
        self.style = style
        state = Confined(State(random: SeededGenerator(seed: seed)))
    }

    /// The virtual time in nanoseconds, and the number of steps so far.
    var stamp: (now: Int64, steps: Int32) { state.withLock { ($0.now, $0.steps) } }

    /// The virtual time in nanoseconds.
    var now: Int64 { state.withLock { $0.now } }

    /// Returns a random number below a bound. It comes from the same generator as the order of jobs.
    func draw(below bound: Int64) -> Int64 {
        state.withLock { $0.random.below(bound) }
    }

    // MARK: Lanes

    /// Creates a lane.
    func makeLane() -> ProcessExecutor {
        state.withLock { state in
            let executor = ProcessExecutor(lane: state.lanes.count, scheduler: self)
            state.lanes.append(Lane(executor: executor))
            return executor
        }
    }

    /// Adds a job or an action that is ready to run.
    func enqueue(_ entry: Entry, lane: Int) {
        state.withLock { $0.lanes[lane].ready.append(entry) }
    }

    /// Sets the number of further steps of a lane after which an alert is raised. 0 means no limit.
    func lightFuse(_ steps: Int, lane: Int) {
        state.withLock { $0.lanes[lane].fuse = steps }
    }

    /// Lets a lane sleep, or wakes it.
    func setAsleep(_ isAsleep: Bool, lane: Int) {
        state.withLock { state in
            state.lanes[lane].isAsleep = isAsleep
            guard !isAsleep else { return }
            for payload in state.lanes[lane].missed { state.timers.insert(state.now, lane: lane, payload) }
            state.lanes[lane].missed = []
        }
    }

    /// Cuts a lane off: tasks of the lane that sleep now or later are woken at once. The scheduler no longer runs its
    /// jobs. ``popFirst(lane:)`` returns these jobs.
    func cut(lane: Int) {
        let woken = state.withLock { state -> [CheckedContinuation<Void, any Error>] in
            state.lanes[lane].isCutOff = true
            state.lanes[lane].fuse = 0
            state.lanes[lane].missed = []
            let numbers = state.sleepers.filter { $0.value.lane == lane }.keys.sorted()
            return numbers.compactMap { state.sleepers.removeValue(forKey: $0)?.continuation }
        }
        for continuation in woken { continuation.resume(throwing: CancellationError()) }
    }

    /// Returns whether a lane is cut off.
    func isCutOff(lane: Int) -> Bool { state.withLock { $0.lanes[lane].isCutOff } }

    /// Removes and returns the oldest job of a cut-off lane.
    func popFirst(lane: Int) -> (Entry, ProcessExecutor)? {
        state.withLock { state in
            guard !state.lanes[lane].ready.isEmpty, let executor = state.lanes[lane].executor else { return nil }
            state.steps += 1
            return (state.lanes[lane].ready.removeFirst(), executor)
        }
    }

    /// Lets the simulation run an action before the next step.
    func raise(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.alerts.append(.raised(action)) }
    }

    /// Removes all state, so that no memory of the history stays in use.
    func close() {
        let remainder = state.withLock { state in
            defer {
                state.lanes = []
                state.timers = SimulationTimers()
                state.alerts = []
            }
            return state.lanes
        }
        _ = remainder
    }

    // MARK: Choosing

    /// Chooses the next step. If no job is ready, advances the time.
    func next() -> Next {
        state.withLock { state in
            if !state.alerts.isEmpty { return .alert(state.alerts.removeFirst()) }
            let drift = style.drift
            if drift > 0, state.random.next() & 31 == 0 { state.now += state.random.below(drift) }
            let due = takeDue(&state)
            if !due.isEmpty { return .fire(due) }
            if let lane = chooseLane(&state) { return take(from: lane, &state) }
            while let deadline = state.timers.earliest {
                state.now = max(state.now, deadline)
                let due = takeDue(&state)
                if !due.isEmpty { return .fire(due) }
            }
            return .nothing
        }
    }

    private func chooseLane(_ state: inout State) -> Int? {
        var total = 0
        for lane in state.lanes.indices where Self.isEligible(state.lanes[lane]) {
            total += state.lanes[lane].ready.count * style.weight(of: lane)
        }
        guard total > 0 else { return nil }
        var position = Int(state.random.below(Int64(total)))
        for lane in state.lanes.indices where Self.isEligible(state.lanes[lane]) {
            position -= state.lanes[lane].ready.count * style.weight(of: lane)
            if position < 0 { return lane }
        }
        return nil
    }

    private static func isEligible(_ lane: Lane) -> Bool { !lane.isAsleep && !lane.isCutOff && !lane.ready.isEmpty }

    private func take(from lane: Int, _ state: inout State) -> Next {
        let count = state.lanes[lane].ready.count
        guard let executor = state.lanes[lane].executor else { return .nothing }
        let index = style.index(of: count, using: &state.random)
        let entry = state.lanes[lane].ready.remove(at: index)
        state.steps += 1
        if state.lanes[lane].fuse > 0 {
            state.lanes[lane].fuse -= 1
            if state.lanes[lane].fuse == 0 { state.alerts.append(.fuseBurnt(lane: lane)) }
        }
        return .run(entry, executor)
    }

    private func takeDue(_ state: inout State) -> [Due] {
        guard let earliest = state.timers.earliest, earliest <= state.now else { return [] }
        var due: [Due] = []
        while let (lane, payload) = state.timers.popDue(state.now) {
            if lane >= 0, state.lanes[lane].isAsleep {
                state.lanes[lane].missed.append(payload)
                continue
            }
            switch payload {
            case .action(let action):
                if lane < 0 || !state.lanes[lane].isCutOff { due.append(.act(action)) }
            case .sleeper(let number):
                if let sleeper = state.sleepers.removeValue(forKey: number) { due.append(.wake(sleeper.continuation)) }
            }
        }
        return due
    }

    // MARK: Time

    /// Runs an action at a time. If `lane` is `nil`, the action belongs to no process. Otherwise it does not run while
    /// the lane sleeps or after the lane was cut off.
    func at(_ time: Int64, lane: Int? = nil, _ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.timers.insert(max(time, $0.now), lane: lane ?? -1, .action(action)) }
    }

    /// Waits until a time.
    ///
    /// - Throws: `CancellationError` if the lane is cut off, or if the task is cancelled and `isDeaf` is `false`.
    func sleep(until deadline: Int64, lane: Int, isDeaf: Bool = false) async throws {
        let number = state.withLock { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let isCancelled = !isDeaf && Task.isCancelled
                let result = state.withLock { state -> Result<Void, any Error>? in
                    if isCancelled || state.lanes[lane].isCutOff { return .failure(CancellationError()) }
                    if deadline <= state.now { return .success(()) }
                    state.timers.insert(deadline, lane: lane, .sleeper(number))
                    state.sleepers[number] = (lane, continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            if !isDeaf { endSleep(number) }
        }
    }

    private func endSleep(_ number: Int) {
        let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
