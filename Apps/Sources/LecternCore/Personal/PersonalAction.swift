import Foundation
import HablareData

/// A change of the person's data as the undo history of the durable queue keeps it.
///
/// The transaction that appends the action also carries it out, so the queue has no work left.
struct PersonalAction: QueuedAction, Hashable {
    /// The command that asked for the change.
    var command: UUID
    /// A short name of the change for menus, such as `highlight`.
    var name: String
    /// The changes, in order.
    var changes: [RowChange]

    var group: Int { 0 }
    var isNothing: Bool { true }
}
