#if canImport(SwiftData)
public import Foundation
public import HablareData
public import SwiftData

/// The receipt of a merge into an object of SwiftData. Add it to the schema of the container.
@Model public final class MergeReceiptObject {
    /// Names the merge: ``/HablareData/MergeKey/text``.
    @Attribute(.unique) public var key: String
    /// When it was done.
    public var mergedAt: Date

    /// Creates a receipt.
    public init(key: String, mergedAt: Date) {
        self.key = key
        self.mergedAt = mergedAt
    }
}

/// Saves objects of SwiftData, and with them the receipts of what was merged into them, by one save of the main context.
///
/// The save is on the main actor, because the context is: the one exception to G9. Turn autosave off in the context: it might
/// save a property without its receipt.
///
/// Not built by this project's own checks, which run on Linux: Apple's platforms only.
@MainActor public final class SwiftDataMergeContext<Model: PersistentModel>: MergeContext {
    private let context: ModelContext
    private let id: @MainActor (Model) -> MergeRow

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - context: The main context. Its container's schema has ``MergeReceiptObject``.
    ///   - id: Names an object the same in every run: by an attribute of your own, not by its persistent identifier, which
    ///     changes when it is first saved.
    public init(_ context: ModelContext, id: @escaping @MainActor (Model) -> MergeRow) {
        self.context = context
        self.id = id
    }

    /// See `MergeContext`.
    public func dateOfMerge(_ key: MergeKey) async throws -> Date? {
        let text = key.text
        var descriptor = FetchDescriptor<MergeReceiptObject>(predicate: #Predicate { $0.key == text })
        descriptor.fetchLimit = 1
        return try context.fetch(descriptor).first?.mergedAt
    }

    /// See `MergeContext`. Where the save fails, the receipt is taken out of the context again; the object keeps its value.
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

    /// See `MergeContext`.
    public func row(of model: Model) -> MergeRow { id(model) }
}
#endif
