public import Foundation
public import GRDB
import Hablare

/// What is merged at most once: the response of a request, for one purpose, into one row.
public struct MergeKey: Sendable, Hashable {
    /// The request whose response it is.
    public let requestID: UUID
    /// What the response is merged into, and how: `article.audio`. Kept on disk, so it must not change between versions of
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

    /// The key as one text, the same in every process and version: for contexts that keep receipts elsewhere than in a
    /// database of GRDB.
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

/// Names a row of the app's own table by its primary key, or nothing where a row is to be made.
public struct MergeRow: Sendable, Hashable {
    /// The key as the database holds it.
    public let key: DatabaseValue

    /// A row by its primary key of one column: a number, a text, a UUID. Give it the type that it has in the table: to
    /// receipts the number 1 and the text "1" are two rows, also where the table finds the same one by both.
    public init(_ key: some DatabaseValueConvertible) {
        self.key = key.databaseValue
    }

    /// No row yet: the merge makes it.
    public static let new = MergeRow(Data())

    /// What the tables of receipts take for the key, which allow no NULL.
    var stored: DatabaseValue { key.isNull ? MergeRow.new.key : key }

    /// Whether it names no row.
    var isNew: Bool { stored == MergeRow.new.key }
}

extension MergeKey: CustomStringConvertible {
    /// ``text``.
    public var description: String { text }
}

extension MergeRow: CustomStringConvertible {
    /// The key: a number or a text as it is, bytes in hexadecimal, `new` where there is none.
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
    /// A row whose key is a number.
    public init(integerLiteral value: Int64) { self.init(value) }
    /// A row whose key is a text.
    public init(stringLiteral value: String) { self.init(value) }
}

/// What came of a merge.
public enum MergeOutcome: Sendable, Hashable {
    /// The response is in the app's data now, and its receipt with it.
    case merged
    /// It was merged before, at the date, and nothing was done. What the app or a person changed since stays.
    case alreadyMerged(Date)
}
