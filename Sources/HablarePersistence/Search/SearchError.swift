/// An error of a search index, with advice.
public struct SearchError: Error, Hashable, CustomStringConvertible {
    /// The kind of failure. Open for extension.
    public struct Code: Sendable, Hashable, RawRepresentable {
        /// The code's stable text.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The table does not exist.
        public static let missingTable = Code(rawValue: "missingTable")
        /// The table has no such column, or no column was given.
        public static let missingColumn = Code(rawValue: "missingColumn")
        /// The table has no integer primary key.
        public static let noIntegerKey = Code(rawValue: "noIntegerKey")
    }

    /// The kind of failure.
    public let code: Code
    /// The failure and the advice.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }
}
