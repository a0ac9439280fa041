public import Foundation
public import GRDB
import Hablare

/// A context that saves models to the app's database. It saves a model and the receipt in one transaction, off the main
/// actor.
///
/// ```swift
/// let context = DatabaseMergeContext<ArticleModel>(coordinator, id: { $0.id }) { article in
///     let (id, summary) = (article.id, article.summary)
///     return { db in try Article.filter(key: id).updateAll(db) { $0.summary.set(to: summary) } }
/// }
/// try await coordinator.merge(response, into: article, property: \.summary, named: "article.summary", in: context)
/// ```
@MainActor public final class DatabaseMergeContext<Model: AnyObject>: MergeContext {
    /// A closure that writes the state that a model had when the closure was created.
    public typealias Write = @Sendable (Database) throws -> Void

    private let writer: GroupWriter
    private let database: any DatabaseReader
    private let date: @Sendable () -> Date
    private let id: @MainActor (Model) -> any DatabaseValueConvertible
    private let write: @MainActor (Model) -> Write

    /// Creates a context in the database of a coordinator.
    ///
    /// - Parameters:
    ///   - coordinator: The coordinator whose database stores the models.
    ///   - id: A closure that returns the primary key of the model's row.
    ///   - write: A closure that reads a model on the main actor. It returns a second closure that writes the model.
    ///     The second closure runs off the main actor and may run twice. It must change only the database.
    public init(
        _ coordinator: AIDataCoordinator, id: @escaping @MainActor (Model) -> any DatabaseValueConvertible,
        write: @escaping @MainActor (Model) -> Write
    ) {
        writer = coordinator.merger.writer
        database = coordinator.database
        date = coordinator.seams.date
        self.id = id
        self.write = write
    }

    /// Returns the date of a saved merge. See ``MergeContext/dateOfMerge(_:)``.
    public func dateOfMerge(_ key: MergeKey) async throws -> Date? {
        try await database.read { try ReceiptBook.date(of: key, in: $0) }
    }

    /// Saves a model and a receipt. See ``MergeContext/save(_:with:)``.
    public func save(_ model: Model, with receipt: MergeKey) async throws -> Date? {
        let write = write(model)
        let date = date()
        return try await writer.write { database in
            let savedBefore = try ReceiptBook.enter(receipt, at: date, in: database)
            if savedBefore == nil { try write(database) }
            try ReceiptBook.forget(receipt, in: database)
            return savedBefore
        }
    }

    /// Returns the key of a model's row. See ``MergeContext/row(of:)``.
    public func row(of model: Model) -> MergeRow { MergeRow(id(model).databaseValue) }
}
