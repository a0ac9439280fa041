/// A move of a flight that ``FlightLifecycle`` decided, ready to be written as a compare-and-set.
///
/// A store writes `new` where state and token still are those of `old`, and refuses otherwise.
public struct FlightTransition: Sendable, Hashable {
    /// What the mover believes the flight to be.
    public let old: FlightLifecycle
    /// What it becomes.
    public let new: FlightLifecycle

    /// Lets the machine move a copy of `old`.
    ///
    /// - Throws: The machine's refusal.
    public init(
        of old: FlightLifecycle,
        _ event: (inout FlightLifecycle) throws(FlightLifecycle.Refusal) -> Void
    ) throws(FlightLifecycle.Refusal) {
        var new = old
        try event(&new)
        self.old = old
        self.new = new
    }
}

extension FlightLifecycle {
    /// Why a transition that started from another state cannot be applied to this one.
    public func refusal(of transition: FlightTransition) -> Refusal {
        switch state {
        case .settled(let settlement): .settled(settlement)
        case .waiting, .backingOff, .held, .leased, .executing:
            token == transition.old.token ? .outOfOrder : .staleToken
        }
    }
}
