import Foundation

/// A change of one row of the journal.
enum ActionWrite: Sendable, Hashable {
    case insert(ActionRecord, payload: Data, appendedAt: Date)
    case update(ActionRecord)
    case delete(number: Int64)
    /// The app has chosen the id of an action, and may append it again.
    case name(ActionName, number: Int64)
}
