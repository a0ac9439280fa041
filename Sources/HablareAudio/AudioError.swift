public import Foundation

/// Why audio could not be read, joined or written, and what to do about it.
public struct AudioError: Error, Sendable, Equatable {
    /// What went wrong. More codes may be added: always handle the ones you do not know.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code as it is written to logs and JSON.
        public let rawValue: String

        /// Makes a code from its written form; unknown ones are kept as they are.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The name of the output says no kind of file that can be written.
        public static let unsupportedContainer = Code(rawValue: "audio.unsupported-container")
        /// The kind of file cannot hold this sample rate or number of channels.
        public static let unsupportedLayout = Code(rawValue: "audio.unsupported-layout")
        /// A source cannot be opened or read.
        public static let unreadable = Code(rawValue: "audio.unreadable")
        /// A source is not audio of a known kind.
        public static let notAudio = Code(rawValue: "audio.not-audio")
        /// A source is audio, but there is nothing in it.
        public static let noFrames = Code(rawValue: "audio.no-frames")
        /// A source is broken somewhere in the middle.
        public static let damaged = Code(rawValue: "audio.damaged")
        /// A source has another sample rate than the first. ``AudioError/expected`` and ``AudioError/found`` are set,
        /// in frames a second.
        public static let sampleRateMismatch = Code(rawValue: "audio.sample-rate-mismatch")
        /// A source has another number of channels than the first. ``AudioError/expected`` and ``AudioError/found``
        /// are set.
        public static let channelCountMismatch = Code(rawValue: "audio.channel-count-mismatch")
        /// There was nothing to join.
        public static let nothingToJoin = Code(rawValue: "audio.nothing-to-join")
        /// The output was finished, cancelled, or failed before.
        public static let closed = Code(rawValue: "audio.closed")
        /// The folder of the output does not exist.
        public static let folderMissing = Code(rawValue: "audio.folder-missing")
        /// The output or its folder may not be written, or a folder has the output's name.
        public static let notWritable = Code(rawValue: "audio.not-writable")
        /// Another joiner, in this process or another, is writing the same output.
        public static let busy = Code(rawValue: "audio.busy")
        /// The disk, or the share of it that this user may fill, is full.
        public static let diskFull = Code(rawValue: "audio.disk-full")
        /// The output would exceed what its kind of file, or the file system, can hold.
        public static let tooLarge = Code(rawValue: "audio.too-large")
        /// Writing failed for another reason, which the message has.
        public static let writeFailed = Code(rawValue: "audio.write-failed")
    }

    /// What went wrong.
    public let code: Code
    /// One or two sentences for a person: what is wrong and what to do.
    public let message: String
    /// Which source it was, from 0 in the order of joining, if it was one.
    public let sourceIndex: Int?
    /// What the first source has, for the two mismatches.
    public let expected: Int?
    /// What this source has, for the two mismatches.
    public let found: Int?

    /// Makes an error; everything but the code and the message is optional.
    public init(code: Code, message: String, sourceIndex: Int? = nil, expected: Int? = nil, found: Int? = nil) {
        self.code = code
        self.message = message
        self.sourceIndex = sourceIndex
        self.expected = expected
        self.found = found
    }

    /// The same error, said of one of several sources.
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
