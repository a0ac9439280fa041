/// An error of paging, with advice.
public struct PagingError: Error, Hashable, CustomStringConvertible {
    /// The kind of failure. Open for extension.
    public struct Code: Sendable, Hashable, RawRepresentable {
        /// The code's stable text.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The size of a page is less than 1 or more than ``PagedQuery/largestSize``.
        public static let invalidSize = Code(rawValue: "invalidSize")
        /// The cursor was created by a query with another order.
        public static let cursorOfAnotherOrder = Code(rawValue: "cursorOfAnotherOrder")
        /// The rows do not have a column of the order.
        public static let missingColumn = Code(rawValue: "missingColumn")
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
