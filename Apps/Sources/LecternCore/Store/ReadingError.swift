/// The reason why something of a text cannot be read, with advice.
public struct ReadingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. Open for extension.
    public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        /// The code's stable text.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code's text.
        public var description: String { rawValue }

        /// There is no such text.
        public static let noText = Self(rawValue: "no-text")
        /// The text has no such book.
        public static let noBook = Self(rawValue: "no-book")
        /// The book has no such chapter.
        public static let noChapter = Self(rawValue: "no-chapter")
        /// The chapter has no such verse.
        public static let noVerse = Self(rawValue: "no-verse")
        /// The stored text is damaged.
        public static let damaged = Self(rawValue: "damaged")
        /// The address or the setting is malformed.
        public static let malformed = Self(rawValue: "malformed")
    }

    /// The kind of error.
    public let code: Code
    /// A description of the problem and of how to solve it, in full sentences.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
