/// A change of a flight's state. ``FlightLifecycle`` computes the transition, and a store writes it as a
/// compare-and-set.
///
/// A store writes `new` only if its row still has the state and the token of `old`. Otherwise the store refuses the
/// transition.
public struct FlightTransition: Sendable, Hashable {
    /// The flight as the caller knows it.
    public let old: FlightLifecycle
    /// The flight after the change.
    public let new: FlightLifecycle

    /// Applies an event to a copy of `old`.
    ///
    /// - Throws: The ``FlightLifecycle/Refusal`` that `event` throws if the state of `old` does not allow the event.
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
    /// Returns the reason why a store refuses a transition. Call this if `old` of the transition differs from this
    /// state.
    public func refusal(of transition: FlightTransition) -> Refusal {
        switch state {
        case .settled(let settlement): .settled(settlement)
        case .waiting, .backingOff, .held, .leased, .executing:
            token == transition.old.token ? .outOfOrder : .staleToken
        }
    }
}
