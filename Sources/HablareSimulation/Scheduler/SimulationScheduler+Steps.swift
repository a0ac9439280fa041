/// Executes the steps that the scheduler chooses.
extension SimulationScheduler {
    /// The result of a step.
    enum Step: Sendable {
        /// A job ran, or timers fired.
        case went
        /// The simulation must handle an alert before the next step.
        case alert(Alert)
        /// No job is ready, and no task sleeps.
        case nothing
    }

    /// Chooses and executes the next step.
    func step() -> Step {
        switch next() {
        case .run(let entry, let executor): executor.run(entry)
        case .fire(let due):
            for due in due {
                switch due {
                case .wake(let continuation): continuation.resume()
                case .act(let action): action()
                }
            }
        case .alert(let alert): return .alert(alert)
        case .nothing: return .nothing
        }
        return .went
    }

    /// Runs the remaining jobs of a lane that was cut off, the oldest first.
    ///
    /// - Parameter bound: The maximum number of jobs.
    /// - Returns: Whether all jobs ran.
    func runRemaining(ofLane lane: Int, within bound: Int) -> Bool {
        var steps = 0
        while let (entry, executor) = popFirst(lane: lane) {
            steps += 1
            guard steps < bound else { return false }
            executor.run(entry)
        }
        return true
    }
}
