public import Foundation

/// A request as a member of its flight. A flight is the work that equal requests share.
public struct FlightMember: Sendable, Hashable {
    /// The request's id.
    public var id: UUID
    /// The request's state.
    public var lifecycle: RequestLifecycle
    /// The date after which an answer is no longer useful.
    public var deadline: Date?

    /// Creates a member.
    public init(id: UUID, lifecycle: RequestLifecycle = RequestLifecycle(), deadline: Date? = nil) {
        self.id = id
        self.lifecycle = lifecycle
        self.deadline = deadline
    }

    /// Returns whether the request still waits for an answer at a date: it is live, and its deadline has not passed.
    public func isPatient(at date: Date) -> Bool {
        lifecycle.state == .live && (deadline.map { $0 > date } ?? true)
    }
}

extension Sequence<FlightMember> {
    /// Returns the live requests with the state that they have after the end of their flight.
    package func settled(as outcome: FlightLifecycle.Outcome) -> [FlightMember] {
        compactMap { member in
            var member = member
            return member.lifecycle.flightSettled(outcome) == .done ? member : nil
        }
    }

    /// The latest deadline of the flight's live requests. After this date, no request waits for the answer. The value
    /// is `nil` if a live request has no deadline.
    public var lastDeadline: Date? {
        var last: Date?
        for member in self where member.lifecycle.state == .live {
            guard let deadline = member.deadline else { return nil }
            last = Swift.max(last ?? deadline, deadline)
        }
        return last
    }
}
