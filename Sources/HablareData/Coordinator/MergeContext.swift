public import Foundation

/// A context that makes models on the main actor durable. It saves models together with the receipts of merges into
/// them.
///
/// A merge into a model is durable, and done once across restarts, only through a context. The save must be one
/// transaction that writes both the model's new state and the receipt, or neither. ``DatabaseMergeContext`` is a
/// context for models whose state is a database record.
@MainActor public protocol MergeContext<Model>: AnyObject {
    /// The type of the models.
    associatedtype Model: AnyObject

    /// Returns the date on which a merge was saved, in this process or before; `nil` if it was not.
    func dateOfMerge(_ key: MergeKey) async throws -> Date?

    /// Saves a model and a receipt in one transaction, unless the receipt exists.
    ///
    /// - Returns: The date of an earlier save, in which case nothing is saved; otherwise `nil`.
    /// - Throws: The error that prevented the save. Then neither is saved.
    func save(_ model: Model, with receipt: MergeKey) async throws -> Date?

    /// Returns the key of a model's row for receipts. It is the same after a restart.
    func row(of model: Model) -> MergeRow
}
