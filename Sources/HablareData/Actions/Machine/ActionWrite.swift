import Foundation

/// A change to one row of the journal.
enum ActionWrite: Sendable, Hashable {
    case insert(ActionRecord, payload: Data, appendedAt: Date)
    case update(ActionRecord)
    case delete(number: Int64)
    /// A record of the id that the app has chosen for an action, so that appending it again has no effect.
    case name(ActionName, number: Int64)
}
