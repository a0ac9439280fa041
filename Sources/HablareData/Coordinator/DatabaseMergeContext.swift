public import Foundation
public import GRDB
import Hablare

/// Saves models whose state is a record of the app's database, off the main actor.
///
/// ```swift
/// let context = DatabaseMergeContext(coordinator, record: \ArticleModel.record, id: \.id)
/// try await coordinator.merge(response, into: model, property: \.summary, named: "article.summary", in: context)
/// ```
@MainActor
public final class DatabaseMergeContext<
    Model: AnyObject, Record: MutablePersistableRecord & Sendable
>: MergeContext {
    private let writer: GroupWriter
    private let database: any DatabaseReader
    private let date: @Sendable () -> Date
    private let record: @MainActor (Model) -> Record
    private let id: @MainActor (Model) -> any DatabaseValueConvertible

    /// Creates a context in the database of a coordinator.
    ///
    /// - Parameters:
    ///   - coordinator: Whose database it is.
    ///   - record: The state of a model as a record. Called on the main actor; the record is saved off it, inserted where it
    ///     is not there yet.
    ///   - id: The primary key of the model's row.
    public init(
        _ coordinator: AIDataCoordinator, record: @escaping @MainActor (Model) -> Record,
        id: @escaping @MainActor (Model) -> any DatabaseValueConvertible
    ) {
        writer = coordinator.merger.writer
        database = coordinator.database
        date = coordinator.seams.date
        self.record = record
        self.id = id
    }

    /// See ``MergeContext/dateOfMerge(_:)``.
    public func dateOfMerge(_ key: MergeKey) async throws -> Date? {
        try await database.read { try ReceiptBook.date(of: key, in: $0) }
    }

    /// See ``MergeContext/save(_:with:)``.
    public func save(_ model: Model, with receipt: MergeKey) async throws {
        let record = record(model)
        let date = date()
        try await writer.write { database in
            var record = record
            try record.save(database)
            _ = try ReceiptBook.enter(receipt, at: date, in: database)
            try ReceiptBook.forget(receipt, in: database)
        }
    }

    /// See ``MergeContext/row(of:)``.
    public func row(of model: Model) -> MergeRow { MergeRow(id(model).databaseValue) }
}
