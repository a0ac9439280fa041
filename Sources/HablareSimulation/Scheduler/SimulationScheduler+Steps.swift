/// Doing what the scheduler chooses.
extension SimulationScheduler {
    /// What a step came to.
    enum Step: Sendable {
        /// A job ran, or timers fired.
        case went
        /// The owner of the scheduler has to see to something.
        case alert(Alert)
        /// Nothing is ready and nobody sleeps.
        case nothing
    }

    /// Lets the next thing happen.
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

    /// Lets what is left of a lane that is cut off run, oldest first.
    ///
    /// - Parameter bound: The most jobs.
    /// - Returns: Whether it came to an end.
    func runRest(ofLane lane: Int, within bound: Int) -> Bool {
        var steps = 0
        while let (entry, executor) = popFirst(lane: lane) {
            steps += 1
            guard steps < bound else { return false }
            executor.run(entry)
        }
        return true
    }
}
