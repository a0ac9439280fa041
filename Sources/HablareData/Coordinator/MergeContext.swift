public import Foundation

/// What makes models on the main actor durable: saves them, and with them the receipts of what was merged into them.
///
/// A merge into a model is durable, and done once over restarts, only through a context, and only as far as its save is one
/// transaction: the model's new state and the receipt, or neither. ``DatabaseMergeContext`` is one for models whose state is
/// a record of a database.
@MainActor public protocol MergeContext<Model>: AnyObject {
    /// The models it saves.
    associatedtype Model: AnyObject

    /// Whether a merge was saved, in this process or before.
    ///
    /// - Returns: When, or `nil`.
    func dateOfMerge(_ key: MergeKey) async throws -> Date?

    /// Saves a model and a receipt in one transaction, unless the receipt is there.
    ///
    /// - Returns: When the merge was saved before, where it was: nothing is saved then.
    /// - Throws: Whatever keeps it from being saved; neither is then.
    func save(_ model: Model, with receipt: MergeKey) async throws -> Date?

    /// Names the row of a model, for receipts: the same after a restart.
    func row(of model: Model) -> MergeRow
}
