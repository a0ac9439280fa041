import Foundation

/// A change to one row of the journal.
enum ActionWrite: Sendable, Hashable {
    case insert(ActionRecord, payload: Data, appendedAt: Date)
    case update(ActionRecord)
    case delete(number: Int64)
    /// Records the id that the app chose for an action. Appending the action again under this id then has no effect.
    case name(ActionName, number: Int64)
}
