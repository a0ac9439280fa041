/// An error of an export or import, with its position and advice.
public struct ExchangeError: Error, CustomStringConvertible {
    /// The kind of failure. Open for extension.
    public struct Code: Sendable, Hashable, RawRepresentable {
        /// The code's stable text.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The database has no such table, or the table cannot be exported.
        public static let unknownTable = Code(rawValue: "unknownTable")
        /// A virtual table has its own rows, so not all tables can be exported. For example, the table is a search
        /// index that does not index another table.
        public static let virtualTable = Code(rawValue: "virtualTable")
        /// A table has no such column, or the document names the column twice.
        public static let unknownColumn = Code(rawValue: "unknownColumn")
        /// The document is not JSON, or does not have the format of an export.
        public static let malformed = Code(rawValue: "malformed")
        /// The document has another format, or a newer version of the format.
        public static let unknownFormat = Code(rawValue: "unknownFormat")
        /// The document comes from a database with different migrations.
        public static let otherSchema = Code(rawValue: "otherSchema")
        /// The import stopped in one of two cases. An existing row has the same key as an imported row, and the policy
        /// is ``ImportPolicy/abort``. Or an existing row has another key than an imported row, but both rows have the
        /// same value in a unique column.
        public static let conflict = Code(rawValue: "conflict")
        /// A table does not accept a row.
        public static let invalidRow = Code(rawValue: "invalidRow")
        /// Imported rows refer to rows that are neither in the database nor in the document.
        public static let danglingReferences = Code(rawValue: "danglingReferences")
        /// A file could not be read or written.
        public static let fileFailed = Code(rawValue: "fileFailed")
    }

    /// A position in a document.
    public struct Position: Sendable, Hashable {
        /// The line, from 1.
        public let line: Int
        /// The table; `nil` if the position is outside a table.
        public let table: String?
        /// The number of the row in its table, from 1; `nil` if the position is outside a row.
        public let row: Int?

        /// Creates a position.
        public init(line: Int, table: String? = nil, row: Int? = nil) {
            self.line = line
            self.table = table
            self.row = row
        }
    }

    /// The kind of failure.
    public let code: Code
    /// The failure and the advice.
    public let message: String
    /// The position in the document; `nil` if the error has no position.
    public let position: Position?
    /// The underlying failure.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, at position: Position? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.position = position
        self.cause = cause
    }

    /// The code, the position, the message and the cause.
    public var description: String {
        var text = code.rawValue
        if let position {
            text += " in line \(position.line)"
            if let table = position.table { text += ", table \(table)" }
            if let row = position.row { text += ", row \(row)" }
        }
        return text + ": \(message)" + (cause.map { " (\($0))" } ?? "")
    }
}
