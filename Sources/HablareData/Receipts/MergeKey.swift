public import Foundation
public import GRDB
import Hablare

/// The key of a merge: the request, the target and the row. A merge happens at most once for each key.
public struct MergeKey: Sendable, Hashable {
    /// The id of the response's request.
    public let requestID: UUID
    /// The name of the target, such as `article.audio`. It is stored on disk, so it must not change between versions of
    /// the app.
    public let target: String
    /// The row.
    public let row: MergeRow

    /// Creates a key.
    public init(requestID: UUID, target: String, row: MergeRow) {
        self.requestID = requestID
        self.target = target
        self.row = row
    }

    /// The key as one text, which is the same in every process and version. Use it if receipts are stored outside a
    /// GRDB database.
    public var text: String {
        let key =
            switch row.key.storage {
            case .null: "new"
            case .int64(let number): "i\(number)"
            case .double(let number): "d\(number)"
            case .string(let text): "t\(text)"
            case .blob(let bytes): bytes.isEmpty ? "new" : "b\(bytes.hexadecimal)"
            }
        return "\(requestID.uuidString)/\(target)/\(key)"
    }
}

/// A row of the app's own table, identified by its primary key, or ``new`` if the merge creates the row.
public struct MergeRow: Sendable, Hashable {
    /// The key's value in the database.
    public let key: DatabaseValue

    /// Creates a row from its primary key. The key must have one column: a number, a text or a UUID.
    ///
    /// Pass the key with the type that it has in the table. In receipts, the number 1 and the text "1" are two
    /// different rows, even if the table finds the same row for both of them.
    public init(_ key: some DatabaseValueConvertible) {
        self.key = key.databaseValue
    }

    /// A row that does not exist yet. The merge creates it.
    public static let new = MergeRow(Data())

    /// The key's value in the tables of receipts, which do not allow NULL.
    var stored: DatabaseValue { key.isNull ? MergeRow.new.key : key }

    /// Whether the merge creates the row.
    var isNew: Bool { stored == MergeRow.new.key }
}

extension MergeKey: CustomStringConvertible {
    /// The key as text.
    public var description: String { text }
}

extension MergeRow: CustomStringConvertible {
    /// The key: a number or a text unchanged, bytes in hexadecimal, or `new` for a row that does not exist yet.
    public var description: String {
        switch key.storage {
        case .null: "new"
        case .int64(let number): "\(number)"
        case .double(let number): "\(number)"
        case .string(let text): text
        case .blob(let bytes): bytes.isEmpty ? "new" : bytes.hexadecimal
        }
    }
}

extension MergeRow: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    /// Creates a row whose key is a number.
    public init(integerLiteral value: Int64) { self.init(value) }
    /// Creates a row whose key is a text.
    public init(stringLiteral value: String) { self.init(value) }
}

/// The outcome of a merge.
public enum MergeOutcome: Sendable, Hashable {
    /// The response was merged. The response and its receipt are now in the app's data.
    case merged
    /// The response was already merged, at the given date. Nothing was changed, so later changes by the app or the user
    /// are kept.
    case alreadyMerged(Date)
}
