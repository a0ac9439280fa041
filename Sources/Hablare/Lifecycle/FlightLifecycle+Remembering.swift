extension FlightLifecycle {
    /// Whether somebody goes on with the work that an attempt began, or went on with: the attempt itself, as far as the
    /// store knows, or whoever finds the handle that stands for that work.
    ///
    /// All attempts of one generation do the same work: one that finds no handle begins another generation. So a handle
    /// stands for the work of those attempts only whose generation is the flight's. Whose lease was broken before it could
    /// remember its work, nobody goes on with it, whatever others remember.
    ///
    /// - Parameters:
    ///   - token: The token under which the attempt was sent.
    ///   - generation: The generation in which it was.
    public func isWanted(workOf token: Int64, in generation: Int) -> Bool {
        switch state {
        case .settled: false
        case .executing where token == self.token: true
        case .waiting, .backingOff, .held, .leased, .executing: hasHandle && generation == self.generation
        }
    }

    /// Whether a newer attempt went on with the work of an earlier one, or the next one can: then it is the newer one that
    /// tells what the work cost. It is not where the newer one ended and has found the work gone.
    ///
    /// - Parameter earlier: The flight as the earlier attempt had it.
    func isAccounted(workOf earlier: FlightLifecycle) -> Bool {
        attempt > earlier.attempt && generation == earlier.generation && (isSettled || isExecuting || hasHandle)
    }
}

extension AttemptMemory {
    /// Tells a flight what its attempt remembers, or that it forgets.
    ///
    /// - Throws: The machine's refusal.
    public func apply(to flight: inout FlightLifecycle) throws(FlightLifecycle.Refusal) {
        if handle != nil {
            try flight.handleRemembered(token: token)
        } else {
            try flight.handleForgotten(token: token)
        }
    }
}
