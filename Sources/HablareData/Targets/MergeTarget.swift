public import GRDB
public import Hablare

/// The destination of a merge, and the way in which it is written: as a column, as a change of a record, or as a new
/// record.
///
/// A target's name must stay the same in all versions of the app, because receipts and promises are stored under this
/// name. Key paths and closures cannot be stored on disk, but a name can. If a merge must survive a restart, use a
/// target, and pass the target to ``AIDataCoordinator`` at every start.
///
/// ```swift
/// let targets: [MergeTarget] = [
///     .column(Article.self, { $0.audio }),
///     .update("article.summary", Article.self) { (article: inout Article, summary: String) in
///         article.summary = summary
///     },
/// ]
/// ```
public struct MergeTarget: Sendable {
    /// The target's stable name.
    public let name: String
    /// The rules that an answer must satisfy.
    public let rules: [ContentRule]
    /// A closure that reads and converts an answer, and returns a second closure that writes it. The first closure runs
    /// off the main actor and outside any transaction.
    let prepare: @Sendable (AIResponseData, ResponseContent, ConversionContext) throws -> PreparedMerge

    init(
        name: String, rules: [ContentRule],
        prepare: @escaping @Sendable (AIResponseData, ResponseContent, ConversionContext) throws -> PreparedMerge
    ) {
        self.name = name
        self.rules = rules
        self.prepare = prepare
    }

    /// Creates a target that writes to the database with the app's own closure. The changes that the closure makes are
    /// in the same transaction as the receipt.
    ///
    /// - Parameters:
    ///   - name: The target's stable name.
    ///   - type: The type to which the answer is converted before `write` is called. Default: the type of the closure's
    ///     parameter.
    ///   - rules: The rules that an answer must satisfy. Default: none.
    ///   - write: A closure that changes the database. It may run twice, if another merge in its transaction failed.
    ///     Therefore it must change only the database. If it throws an error, only this merge fails.
    public static func custom<Value: ResponseConvertible & Sendable>(
        _ name: String, as type: Value.Type = Value.self, rules: [ContentRule] = [],
        write: @escaping @Sendable (Database, MergeRow, Value, AIResponseData) throws -> Void
    ) -> MergeTarget {
        MergeTarget(name: name, rules: rules) { response, content, context in
            let value = try Value.value(of: content, in: context)
            return { database, row in try write(database, row, value, response) }
        }
    }
}

/// The write of a prepared merge.
typealias PreparedMerge = @Sendable (Database, MergeRow) throws -> Void
