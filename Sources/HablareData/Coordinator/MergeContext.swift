public import Foundation

/// A context that saves models of the main actor, together with the receipts of merges into them.
///
/// A receipt records a merge, and so prevents a second merge after a restart. The context must save the model's new
/// state and the receipt in one transaction. If a model's state is a record in the app's database, use
/// ``DatabaseMergeContext``.
@MainActor public protocol MergeContext<Model>: AnyObject {
    /// The type of the models.
    associatedtype Model: AnyObject

    /// Returns the date on which a merge was saved, in this process or earlier. Returns `nil` if the merge was not
    /// saved.
    func dateOfMerge(_ key: MergeKey) async throws -> Date?

    /// Saves a model and a receipt in one transaction. If the receipt already exists, saves nothing.
    ///
    /// - Returns: `nil` if the model and the receipt were saved. Otherwise the date of the existing receipt.
    /// - Throws: The error that prevented the save. Nothing is then saved.
    func save(_ model: Model, with receipt: MergeKey) async throws -> Date?

    /// Returns the key of a model's row, for receipts. The key is the same after a restart.
    func row(of model: Model) -> MergeRow
}
