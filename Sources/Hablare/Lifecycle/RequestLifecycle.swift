/// The state of a request as a member of its flight: live or final.
///
/// The flight's state determines whether a live request waits or executes. This type is pure. No other code decides the
/// next state of a member. Only an explicit retry can make a failed or cancelled request live again. A completed
/// request never becomes live again.
public struct RequestLifecycle: Sendable, Hashable, Codable {
    /// The state of a member.
    public enum State: Int, Sendable, Hashable, Codable, CaseIterable {
        /// The flight waits or executes.
        case live = 0
        /// The request has a response.
        case completed = 1
        /// The request failed.
        case failed = 2
        /// The request was cancelled.
        case cancelled = 3
    }

    /// The result of an event.
    public enum Verdict: Sendable, Hashable {
        /// The event was accepted, and the state changed.
        case done
        /// The event was not necessary or not allowed. The request stays in this state.
        case refused(State)
    }

    /// The state of the member.
    public private(set) var state: State

    /// Restores a member from a store. A new member is live.
    public init(state: State = .live) {
        self.state = state
    }

    /// Gives a live member the outcome of its flight.
    public mutating func flightSettled(_ outcome: FlightLifecycle.Outcome) -> Verdict {
        guard state == .live else { return .refused(state) }
        switch outcome {
        case .completed: state = .completed
        case .failed: state = .failed
        case .cancelled: state = .cancelled
        }
        return .done
    }

    /// Cancels a live member.
    public mutating func cancelRequested() -> Verdict {
        guard state == .live else { return .refused(state) }
        state = .cancelled
        return .done
    }

    /// Makes a failed or cancelled member live again after an explicit retry. Also accepts a live member whose flight
    /// is held or backs off.
    public mutating func retryRequested(_ flight: FlightLifecycle) -> Verdict {
        switch (state, flight.state) {
        case (.failed, _), (.cancelled, _), (.live, .held), (.live, .backingOff):
            state = .live
            return .done
        case (.live, _), (.completed, _):
            return .refused(state)
        }
    }
}
