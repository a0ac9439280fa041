/// Why tables cannot be exported or imported, where, and what to do about it.
public struct ExchangeError: Error, CustomStringConvertible {
    /// What went wrong. Open for extension.
    public struct Code: Sendable, Hashable, RawRepresentable {
        /// The code's stable text.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The database has no such table, or it is not one that is exported.
        public static let unknownTable = Code(rawValue: "unknownTable")
        /// All tables are to be exported, and one of them is a virtual table with rows of its own, such as a search index
        /// that is not about another table.
        public static let virtualTable = Code(rawValue: "virtualTable")
        /// A table has no such column, or the document names it twice.
        public static let unknownColumn = Code(rawValue: "unknownColumn")
        /// The document is no JSON, or not what an export looks like.
        public static let malformed = Code(rawValue: "malformed")
        /// The document is of another kind, or of a newer version of it.
        public static let unknownFormat = Code(rawValue: "unknownFormat")
        /// The document is of a database with other migrations.
        public static let otherSchema = Code(rawValue: "otherSchema")
        /// A row is there already, and the import was to stop at such; or a row shares a value that only one may have with
        /// a row of another key.
        public static let conflict = Code(rawValue: "conflict")
        /// A row is not one that its table takes.
        public static let invalidRow = Code(rawValue: "invalidRow")
        /// Rows refer to others that are neither there nor in the document.
        public static let danglingReferences = Code(rawValue: "danglingReferences")
        /// A file could not be read or written.
        public static let fileFailed = Code(rawValue: "fileFailed")
    }

    /// Where in a document.
    public struct Position: Sendable, Hashable {
        /// The line, from 1.
        public let line: Int
        /// The table; `nil` outside of one.
        public let table: String?
        /// The row in its table, from 1; `nil` outside of one.
        public let row: Int?

        /// Creates a position.
        public init(line: Int, table: String? = nil, row: Int? = nil) {
            self.line = line
            self.table = table
            self.row = row
        }
    }

    /// What went wrong.
    public let code: Code
    /// What happened and what to do.
    public let message: String
    /// Where in the document; `nil` where it is not about one.
    public let position: Position?
    /// The failure underneath.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, at position: Position? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.position = position
        self.cause = cause
    }

    /// The code, the place, the message and the cause.
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
