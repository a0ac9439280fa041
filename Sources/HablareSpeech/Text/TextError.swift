public import Foundation

/// Why a text, or a timeline of it, was refused, and what to do about it.
///
/// The text itself is never part of an error: what is read aloud is private. Offsets count bytes from the beginning of
/// the file as it is stored, a byte order mark included.
public struct TextError: Error, Sendable, Equatable {
    /// What went wrong. More codes may be added: always handle the ones you do not know.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code as it is written to logs and JSON.
        public let rawValue: String

        /// Makes a code from its written form; unknown ones are kept as they are.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// There is nothing in the file but white space.
        public static let empty = Code(rawValue: "text.empty")
        /// The file is not text.
        public static let binary = Code(rawValue: "text.binary")
        /// The file is text in an encoding other than UTF-8, or a damaged one. ``TextError/byteOffset`` is set.
        public static let invalidUTF8 = Code(rawValue: "text.invalid-utf8")
        /// A limit below one character. ``TextError/limit`` is set.
        public static let invalidLimit = Code(rawValue: "text.invalid-limit")
        /// One word alone exceeds the limit. ``TextError/byteOffset``, ``TextError/length`` and ``TextError/limit``
        /// are set.
        public static let wordTooLong = Code(rawValue: "text.word-too-long")
        /// Clips that overlap, run backwards, or leave the audio file.
        public static let invalidTimeline = Code(rawValue: "timeline.invalid")
    }

    /// What went wrong.
    public let code: Code
    /// One or two sentences for a person: what is wrong and what to do.
    public let message: String
    /// Where in the file, in bytes, if the error has a place.
    public let byteOffset: Int?
    /// The length that was too much, in Unicode scalars, if the error is about one.
    public let length: Int?
    /// The limit that was set, in Unicode scalars, if the error is about one.
    public let limit: Int?

    /// Makes an error; everything but the code and the message is optional.
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
