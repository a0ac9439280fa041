/// Why a search index cannot be made, and what to do about it.
public struct SearchError: Error, Hashable, CustomStringConvertible {
    /// What went wrong. Open for extension.
    public struct Code: Sendable, Hashable, RawRepresentable {
        /// The code's stable text.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There is no such table.
        public static let missingTable = Code(rawValue: "missingTable")
        /// The table has no such column, or none is to be searched.
        public static let missingColumn = Code(rawValue: "missingColumn")
        /// The table's rows have no number that stays.
        public static let noIntegerKey = Code(rawValue: "noIntegerKey")
    }

    /// What went wrong.
    public let code: Code
    /// What happened and what to do.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }
}
