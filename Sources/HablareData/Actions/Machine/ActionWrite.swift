import Foundation

/// A change to one row of the journal.
enum ActionWrite: Sendable, Hashable {
    case insert(ActionRecord, payload: Data, appendedAt: Date)
    case update(ActionRecord)
    case delete(number: Int64)
    /// Records the id that the app chose for an action. If the app appends the action again under this id, nothing
    /// happens.
    case name(ActionName, number: Int64)
}
