public import Foundation

/// A context that makes models on the main actor durable. It saves a model together with the receipts of the merges
/// into the model.
///
/// Only a context makes a merge into a model durable and prevents a second merge after a restart. The context must save
/// the model's new state and the receipt in one transaction. ``DatabaseMergeContext`` is a context for models whose
/// state is a database record.
@MainActor public protocol MergeContext<Model>: AnyObject {
    /// The type of the models.
    associatedtype Model: AnyObject

    /// Returns the date on which a merge was saved, in this process or earlier. Returns `nil` if the merge was not
    /// saved.
    func dateOfMerge(_ key: MergeKey) async throws -> Date?

    /// Saves a model and a receipt in one transaction, unless the receipt exists.
    ///
    /// - Returns: The date of the existing receipt; nothing is then saved. `nil` if there was no receipt.
    /// - Throws: The error that prevented the save. Nothing is then saved.
    func save(_ model: Model, with receipt: MergeKey) async throws -> Date?

    /// Returns the key of a model's row, for receipts. The key is the same after a restart.
    func row(of model: Model) -> MergeRow
}
