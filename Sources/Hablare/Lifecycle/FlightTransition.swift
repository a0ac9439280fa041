/// A change of a flight's state that ``FlightLifecycle`` computed, and that a store writes as a compare-and-set.
///
/// A store writes `new` if the stored state and token are still those of `old`. Otherwise it refuses the transition.
public struct FlightTransition: Sendable, Hashable {
    /// The flight as the caller knows it.
    public let old: FlightLifecycle
    /// The flight after the change.
    public let new: FlightLifecycle

    /// Applies an event to a copy of `old`.
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
    /// Returns the reason to refuse a transition that started from another state than this one.
    public func refusal(of transition: FlightTransition) -> Refusal {
        switch state {
        case .settled(let settlement): .settled(settlement)
        case .waiting, .backingOff, .held, .leased, .executing:
            token == transition.old.token ? .outOfOrder : .staleToken
        }
    }
}
