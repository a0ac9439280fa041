public import Foundation

/// A request as a member of the flight that does its work.
public struct FlightMember: Sendable, Hashable {
    /// The request's id.
    public var id: UUID
    /// The request's state.
    public var lifecycle: RequestLifecycle
    /// The date after which the answer is useless.
    public var deadline: Date?

    /// Creates a member.
    public init(id: UUID, lifecycle: RequestLifecycle = RequestLifecycle(), deadline: Date? = nil) {
        self.id = id
        self.lifecycle = lifecycle
        self.deadline = deadline
    }

    /// Returns whether the request still wants an answer at a date.
    public func isPatient(at date: Date) -> Bool {
        lifecycle.state == .live && (deadline.map { $0 > date } ?? true)
    }
}

extension Sequence<FlightMember> {
    /// Returns the live requests in the state that they get when their flight ends.
    package func settled(as outcome: FlightLifecycle.Outcome) -> [FlightMember] {
        compactMap { member in
            var member = member
            return member.lifecycle.flightSettled(outcome) == .done ? member : nil
        }
    }

    /// The date after which no live request of the flight wants the answer. `nil` if a live request has no deadline.
    public var lastDeadline: Date? {
        var last: Date?
        for member in self where member.lifecycle.state == .live {
            guard let deadline = member.deadline else { return nil }
            last = Swift.max(last ?? deadline, deadline)
        }
        return last
    }
}
