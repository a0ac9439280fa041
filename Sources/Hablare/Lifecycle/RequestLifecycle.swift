/// The life of a request as a member of its flight: live, or final.
///
/// Whether a live request waits or executes is the flight's to say. Pure; the only place where a member's next state
/// is decided. Final is final: only an explicit retry of a failed or cancelled request makes it live again.
public struct RequestLifecycle: Sendable, Hashable, Codable {
    /// Where a member is.
    public enum State: Int, Sendable, Hashable, Codable, CaseIterable {
        /// Its flight waits or executes.
        case live = 0
        /// It has its one completed outcome.
        case completed = 1
        /// It failed.
        case failed = 2
        /// It was cancelled.
        case cancelled = 3
    }

    /// What came of a wish.
    public enum Verdict: Sendable, Hashable {
        /// Done; the state changed.
        case done
        /// Nothing to do or not allowed: the request is in this state, and stays there.
        case refused(State)
    }

    /// Where the member is.
    public private(set) var state: State

    /// A member as a store has it; a new one is live.
    public init(state: State = .live) {
        self.state = state
    }

    /// The flight ended with an outcome.
    public mutating func flightSettled(_ outcome: FlightLifecycle.Outcome) -> Verdict {
        guard state == .live else { return .refused(state) }
        switch outcome {
        case .completed: state = .completed
        case .failed: state = .failed
        case .cancelled: state = .cancelled
        }
        return .done
    }

    /// Somebody wants it cancelled.
    public mutating func cancelRequested() -> Verdict {
        guard state == .live else { return .refused(state) }
        state = .cancelled
        return .done
    }

    /// Somebody wants it tried again; or now, where its flight is held or backs off.
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
