import Foundation

/// A change of one row of the journal.
enum ActionWrite: Sendable, Hashable {
    case insert(ActionRecord, payload: Data, appendedAt: Date)
    case update(ActionRecord)
    case delete(number: Int64)
}
