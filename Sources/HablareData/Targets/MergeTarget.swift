public import GRDB
public import Hablare

/// Where responses go, and how: a column, a change of a record, a new record.
///
/// A target has a name that stays the same between versions of the app, because receipts and promises of merges are kept
/// by it. Key paths and closures cannot be stored, so a merge that must survive a restart names a target that is given to
/// ``AIDataCoordinator`` at every start.
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
    /// Its stable name.
    public let name: String
    /// What an answer must be like.
    public let rules: [ContentRule]
    /// Reads and converts, off the main actor and outside of any transaction; answers with the write.
    let prepare: @Sendable (AIResponseData, ResponseContent, ConversionContext) throws -> PreparedMerge

    init(
        name: String, rules: [ContentRule],
        prepare: @escaping @Sendable (AIResponseData, ResponseContent, ConversionContext) throws -> PreparedMerge
    ) {
        self.name = name
        self.rules = rules
        self.prepare = prepare
    }

    /// A target of the app's own making: whatever it does to the database is one transaction with the receipt.
    ///
    /// - Parameters:
    ///   - name: Its stable name.
    ///   - type: What the answer becomes first.
    ///   - rules: What an answer must be like. Default: anything.
    ///   - write: Changes the database. May run twice, where another merge of its transaction failed: it must touch nothing
    ///     but the database. What it throws fails this merge alone.
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

/// What a prepared merge does to the database.
typealias PreparedMerge = @Sendable (Database, MergeRow) throws -> Void
