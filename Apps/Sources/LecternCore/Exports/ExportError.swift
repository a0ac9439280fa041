/// The reason why a text could not be exported, with advice. No file with the final name exists then, except an earlier
/// one.
public struct ExportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. Open for extension.
    public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        /// The code's stable text.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code's text.
        public var description: String { rawValue }

        /// The text has no such book or chapter.
        public static let missing = Self(rawValue: "missing")
        /// The file cannot be written.
        public static let notWritable = Self(rawValue: "not-writable")
        /// No verse has audio.
        public static let silent = Self(rawValue: "silent")
    }

    /// The kind of error.
    public let code: Code
    /// A description of the problem and of how to solve it, in full sentences.
    public let message: String

    /// The message.
    public var description: String { message }
}
