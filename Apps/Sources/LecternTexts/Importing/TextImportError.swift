/// The reason why a text could not be imported, with advice. Nothing of the text is used then.
public struct TextImportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. Open for extension.
    public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        /// The code's stable text.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code's text.
        public var description: String { rawValue }

        /// The source does not exist, or cannot be read.
        public static let unreadable = Self(rawValue: "unreadable")
        /// The format of the source is not known.
        public static let unknownFormat = Self(rawValue: "unknown-format")
        /// The source breaks the rules of its format.
        public static let damaged = Self(rawValue: "damaged")
        /// The source is larger than an importer accepts.
        public static let tooLarge = Self(rawValue: "too-large")
        /// The source has no chapter with text.
        public static let empty = Self(rawValue: "empty")
        /// The source is encrypted or protected.
        public static let locked = Self(rawValue: "locked")
        /// A program that reads the source is missing or failed.
        public static let toolFailed = Self(rawValue: "tool-failed")
    }

    /// The kind of error.
    public let code: Code
    /// A description of the problem and of how to solve it, in full sentences.
    public let message: String
    /// The place in the source, such as a line; `nil` if it is the whole.
    public let place: String?
    /// The underlying failure, for logs.
    public let cause: String?

    /// Creates an error.
    public init(_ code: Code, _ message: String, place: String? = nil, cause: String? = nil) {
        self.code = code
        self.message = message
        self.place = place
        self.cause = cause
    }

    /// The message, with the place.
    public var description: String { place.map { "\(message) (\($0))" } ?? message }
}
