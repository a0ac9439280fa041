public import Foundation

/// The reason why audio could not be read, joined or written, with advice.
public struct AudioError: Error, Sendable, Equatable {
    /// The kind of error. More codes may be added, so always handle unknown codes.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The text of the code in logs and JSON.
        public let rawValue: String

        /// Creates a code from its text. Unknown codes are kept unchanged.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The file name's extension does not belong to a kind of file that can be written.
        public static let unsupportedContainer = Code(rawValue: "audio.unsupported-container")
        /// The output's kind of file does not support this sample rate or number of channels.
        public static let unsupportedLayout = Code(rawValue: "audio.unsupported-layout")
        /// A source cannot be opened or read.
        public static let unreadable = Code(rawValue: "audio.unreadable")
        /// A source is not audio of a known kind.
        public static let notAudio = Code(rawValue: "audio.not-audio")
        /// A source is audio without any frames.
        public static let noFrames = Code(rawValue: "audio.no-frames")
        /// A source is damaged in the middle.
        public static let damaged = Code(rawValue: "audio.damaged")
        /// A source's sample rate differs from the sample rate of the first source. ``AudioError/expected`` and
        /// ``AudioError/found`` are set, in frames per second.
        public static let sampleRateMismatch = Code(rawValue: "audio.sample-rate-mismatch")
        /// A source's number of channels differs from the number of channels of the first source.
        /// ``AudioError/expected`` and ``AudioError/found`` are set.
        public static let channelCountMismatch = Code(rawValue: "audio.channel-count-mismatch")
        /// There was no source to join.
        public static let nothingToJoin = Code(rawValue: "audio.nothing-to-join")
        /// The joiner was already finished or cancelled, or failed earlier.
        public static let closed = Code(rawValue: "audio.closed")
        /// The folder of the output does not exist.
        public static let folderMissing = Code(rawValue: "audio.folder-missing")
        /// The output or its folder cannot be written, or a folder has the output's name.
        public static let notWritable = Code(rawValue: "audio.not-writable")
        /// Another joiner, in this process or another, is writing the same output.
        public static let busy = Code(rawValue: "audio.busy")
        /// The disk is full, or the user's disk quota is reached.
        public static let diskFull = Code(rawValue: "audio.disk-full")
        /// The output would be larger than its kind of file or the file system allows.
        public static let tooLarge = Code(rawValue: "audio.too-large")
        /// Writing failed for another reason. The message contains the reason.
        public static let writeFailed = Code(rawValue: "audio.write-failed")
    }

    /// The kind of error.
    public let code: Code
    /// One or two sentences for a person: what is wrong and what to do.
    public let message: String
    /// The index of the source, from 0 in the order of joining; `nil` if the error is not about a source.
    public let sourceIndex: Int?
    /// The sample rate or the number of channels of the first source; `nil` unless another source differs from it.
    public let expected: Int?
    /// The sample rate or the number of channels of the source that differs from the first source; `nil` if none
    /// differs.
    public let found: Int?

    /// Creates an error. Everything except the code and the message is optional.
    public init(code: Code, message: String, sourceIndex: Int? = nil, expected: Int? = nil, found: Int? = nil) {
        self.code = code
        self.message = message
        self.sourceIndex = sourceIndex
        self.expected = expected
        self.found = found
    }

    /// Returns the same error with the index of its source.
    func ofSource(_ index: Int) -> AudioError {
        AudioError(
            code: code, message: "Source \(index): \(message)", sourceIndex: index, expected: expected, found: found)
    }
}

extension AudioError: CustomStringConvertible, LocalizedError {
    /// The code and the message, for logs.
    public var description: String {
        "\(code.rawValue): \(message)"
    }

    /// The message, for people.
    public var errorDescription: String? {
        message
    }
}
