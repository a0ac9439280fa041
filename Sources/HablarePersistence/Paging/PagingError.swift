/// What cannot be paged, and what to do about it.
public struct PagingError: Error, Hashable, CustomStringConvertible {
    /// What went wrong. Open for extension.
    public struct Code: Sendable, Hashable, RawRepresentable {
        /// The code's stable text.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The size of a page is less than 1 or more than ``PagedQuery/largestSize``.
        public static let invalidSize = Code(rawValue: "invalidSize")
        /// The cursor was made by a query with another order.
        public static let cursorOfAnotherOrder = Code(rawValue: "cursorOfAnotherOrder")
        /// The rows have no such column as the order wants.
        public static let missingColumn = Code(rawValue: "missingColumn")
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
