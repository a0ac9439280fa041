public import Foundation

/// The reason why a text or its timeline was refused, with advice.
///
/// An error never contains the text itself, because the text may be private. Offsets count bytes from the beginning of
/// the stored file, including a byte order mark.
public struct TextError: Error, Sendable, Equatable {
    /// The kind of error. More codes may be added, so always handle unknown codes.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The text of the code in logs and JSON.
        public let rawValue: String

        /// Creates a code from its text. Unknown codes are kept unchanged.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The file contains only white space.
        public static let empty = Code(rawValue: "text.empty")
        /// The file is not text.
        public static let binary = Code(rawValue: "text.binary")
        /// The file is text in an encoding other than UTF-8, or it is damaged UTF-8. ``TextError/byteOffset`` is set.
        public static let invalidUTF8 = Code(rawValue: "text.invalid-utf8")
        /// A limit is below one character. ``TextError/limit`` is set.
        public static let invalidLimit = Code(rawValue: "text.invalid-limit")
        /// A single word exceeds the limit. ``TextError/byteOffset``, ``TextError/length`` and ``TextError/limit`` are
        /// set.
        public static let wordTooLong = Code(rawValue: "text.word-too-long")
        /// Clips (segments with their positions in the audio) overlap, run backwards, or lie outside the audio file.
        public static let invalidTimeline = Code(rawValue: "timeline.invalid")
    }

    /// The kind of error.
    public let code: Code
    /// One or two sentences for a person: what is wrong and what to do.
    public let message: String
    /// The byte offset in the file, if the error has a position.
    public let byteOffset: Int?
    /// The length that exceeds the limit, in Unicode scalars; `nil` if the error is not about a length.
    public let length: Int?
    /// The limit, in Unicode scalars; `nil` if the error is not about a limit.
    public let limit: Int?

    /// Creates an error. Everything except the code and the message is optional.
    public init(code: Code, message: String, byteOffset: Int? = nil, length: Int? = nil, limit: Int? = nil) {
        self.code = code
        self.message = message
        self.byteOffset = byteOffset
        self.length = length
        self.limit = limit
    }
}

extension TextError: CustomStringConvertible, LocalizedError {
    /// The code and the message, for logs.
    public var description: String {
        "\(code.rawValue): \(message)"
    }

    /// The message, for people.
    public var errorDescription: String? {
        message
    }
}
