public import Foundation

/// A change of the person's plans, as a page or an outbox asks for it. See ``MarkCommand`` for the id and the time.
public struct PlanCommand: Hashable, Sendable, Codable, Identifiable {
    /// The id, which the caller makes.
    public var id: UUID
    /// When the person made the change, by the clock of the device.
    public var madeAt: Moment
    /// The calendar of the person at that time, in seconds east of UTC.
    public var offset: Int
    /// The change.
    public var change: Change

    /// Creates a command.
    public init(id: UUID, madeAt: Moment, offset: Int, _ change: Change) {
        self.id = id
        self.madeAt = madeAt
        self.offset = offset
        self.change = change
    }

    /// A change of plans.
    public enum Change: Hashable, Sendable, Codable {
        /// Begins a plan under an id that the caller makes. The text's verses are counted.
        case begin(plan: UUID, name: String, template: PlanTemplate, text: String, start: CalendarDay)
        /// Marks a portion as read, or removes the mark.
        case setDone(plan: UUID, portion: Int, isDone: Bool)
        /// Moves all that was not read, so that it begins today. The plan ends later.
        case catchUp(plan: UUID)
        /// Divides all that was not read over the days that are left.
        case recalibrate(plan: UUID)
        /// Renames a plan.
        case rename(plan: UUID, name: String)
        /// Removes a plan.
        case remove(plan: UUID)

        var name: String {
            switch self {
            case .begin: "plan"
            case .setDone: "reading"
            case .catchUp: "catch up"
            case .recalibrate: "recalibrate"
            case .rename: "rename plan"
            case .remove: "remove plan"
            }
        }
    }

    func digest() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return "\(change.name) " + ShortDigest.text(of: try encoder.encode(self))
    }
}
