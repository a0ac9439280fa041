#if canImport(SwiftData)
public import Foundation
public import HablareData
public import SwiftData

/// The receipt of a merge: a stored object that records that an answer was saved in a SwiftData object. Add this type
/// to the schema of the container.
@Model public final class MergeReceiptObject {
    /// The merge's key as text: ``/HablareData/MergeKey/text``.
    @Attribute(.unique) public var key: String
    /// The date of the merge.
    public var mergedAt: Date

    /// Creates a receipt.
    public init(key: String, mergedAt: Date) {
        self.key = key
        self.mergedAt = mergedAt
    }
}

/// A context that saves SwiftData objects and the receipts of merges into them. It saves an object and its receipt
/// together, in one save of the main context.
///
/// The save runs on the main actor, because the main context does. This is the only exception to guarantee G9, that the
/// main actor never waits. Turn autosave off in the context, because autosave might save a property without its
/// receipt.
///
/// For Apple's platforms only. This project's own checks run on Linux and do not build this file.
@MainActor public final class SwiftDataMergeContext<Model: PersistentModel>: MergeContext {
    private let context: ModelContext
    private let id: @MainActor (Model) -> MergeRow

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - context: The main context. Its container's schema must include ``MergeReceiptObject``.
    ///   - id: A closure that returns an object's key. The key must be the same each time the app runs. Use an
    ///     attribute of your own for it, because the persistent identifier changes with the first save.
    public init(_ context: ModelContext, id: @escaping @MainActor (Model) -> MergeRow) {
        self.context = context
        self.id = id
    }

    /// Returns the date at which the merge with this key was saved: see `MergeContext`.
    public func dateOfMerge(_ key: MergeKey) async throws -> Date? {
        let text = key.text
        var descriptor = FetchDescriptor<MergeReceiptObject>(predicate: #Predicate { $0.key == text })
        descriptor.fetchLimit = 1
        return try context.fetch(descriptor).first?.mergedAt
    }

    /// Saves a model with a receipt: see `MergeContext`. If the save fails, the receipt is removed from the context
    /// again. The object keeps its new value, unsaved.
    public func save(_ model: Model, with receipt: MergeKey) async throws -> Date? {
        if let date = try await dateOfMerge(receipt) { return date }
        let row = MergeReceiptObject(key: receipt.text, mergedAt: Date())
        context.insert(row)
        do {
            try context.save()
        } catch {
            context.delete(row)
            throw error
        }
        return nil
    }

    /// Returns the key of the row that holds a model: see `MergeContext`.
    public func row(of model: Model) -> MergeRow { id(model) }
}
#endif
