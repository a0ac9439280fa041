public import Foundation

/// A request as a member of the flight that does its work.
public struct FlightMember: Sendable, Hashable {
    /// The request.
    public var id: UUID
    /// Where it is in its life.
    public var lifecycle: RequestLifecycle
    /// When its answer is of no use any more.
    public var deadline: Date?

    /// Creates a member.
    public init(id: UUID, lifecycle: RequestLifecycle = RequestLifecycle(), deadline: Date? = nil) {
        self.id = id
        self.lifecycle = lifecycle
        self.deadline = deadline
    }

    /// Whether it still wants an answer at a date.
    public func isPatient(at date: Date) -> Bool {
        lifecycle.state == .live && (deadline.map { $0 > date } ?? true)
    }
}

extension Sequence<FlightMember> {
    /// The live ones, as they are when their flight has ended.
    package func settled(as outcome: FlightLifecycle.Outcome) -> [FlightMember] {
        compactMap { member in
            var member = member
            return member.lifecycle.flightSettled(outcome) == .done ? member : nil
        }
    }

    /// When the answer is of no use to any live member any more; `nil` when it always is to one.
    public var lastDeadline: Date? {
        var last: Date?
        for member in self where member.lifecycle.state == .live {
            guard let deadline = member.deadline else { return nil }
            last = Swift.max(last ?? deadline, deadline)
        }
        return last
    }
}
