#if os(macOS) || os(Linux)
import Foundation
import Hablare

/// Who takes the answer of a program while it is made.
struct OutputTaker: Sendable {
    /// What the answer promises to be.
    let content: CommandContent
    /// Takes the next piece; waits while it has more than it can put away.
    let take: @Sendable (Data) async throws -> Void
}

/// One run of a program, ready to be started.
struct CommandInvocation: Sendable {
    /// The program's absolute path.
    var executable: String
    /// Its arguments, without the program's name.
    var arguments: [String]
    /// What it reads on its standard input.
    var input: [UInt8]
    /// The file it answers in; `nil`: on its standard output.
    var outputFile: String?
    /// The largest answer, in bytes.
    var maximumOutputBytes: Int
    /// Who takes what comes on standard output while it comes; `nil`: it is read at the end. Not for an answer in a file.
    var taker: OutputTaker?
}

/// How a run ended, and what it left.
struct CommandOutcome: Sendable, Hashable {
    /// How a run ended.
    enum End: Sendable, Hashable {
        /// The program ended by itself, with a status.
        case exited(Int32)
        /// A signal ended it that did not come from us.
        case signalled(Int32)
        /// Our caller does not want it any more.
        case cancelled
        /// It wrote more than it may, and was ended.
        case overran
        /// It was not started, because there is no such program or it cannot be executed.
        case notExecutable
        /// It was not started for want of something, such as processes or descriptors: an `errno`.
        case notStarted(Int32)
        /// Who takes what it writes did not take it.
        case refused(AIServiceError)
        /// We lost touch with it, in the words of the operating system.
        case lost(String)
    }

    /// What it wrote.
    enum Output: Sendable, Hashable {
        /// These bytes, as far as they came.
        case bytes([UInt8])
        /// What was handed over while it came.
        case relayed(OutputTally)
        /// It made no output file.
        case noFile
        /// What stands in place of the output file is a directory, a link or a device.
        case notAFile
        /// The output file cannot be read: an `errno`.
        case unreadable(Int32)
    }

    /// How it ended.
    var end: End
    /// What it wrote.
    var output: Output = .bytes([])
    /// The last it wrote on its standard error, at most ``CommandFiles/errorTailLength`` bytes.
    var errorTail: [UInt8] = []
}
#endif
