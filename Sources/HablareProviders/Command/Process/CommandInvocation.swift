#if os(macOS) || os(Linux)
import Foundation
import Hablare

/// The receiver of a program's answer that is passed on while the program writes it.
struct OutputTaker: Sendable {
    /// The promised content.
    let content: CommandContent
    /// A closure that accepts the next piece. It suspends while the receiver is full.
    let take: @Sendable (Data) async throws -> Void
}

/// One run of a program, ready to be started.
struct CommandInvocation: Sendable {
    /// The program's absolute path.
    var executable: String
    /// The program's arguments, without its name.
    var arguments: [String]
    /// The bytes of the program's standard input.
    var input: [UInt8]
    /// The path of the file for the program's answer; `nil` for standard output.
    var outputFile: String?
    /// The maximum size of the answer in bytes.
    var maximumOutputBytes: Int
    /// The receiver of standard output while the program writes; `nil` if the output is read at the end. Not used for
    /// an answer in a file.
    var taker: OutputTaker?
    /// The names of environment variables that contain credentials. The program inherits these variables.
    var credentials: Set<String> = []
}

/// How a run ended, and its output.
struct CommandOutcome: Sendable, Hashable {
    /// How a run ended.
    enum End: Sendable, Hashable {
        /// The program exited with a status.
        case exited(Int32)
        /// A signal from outside ended the program.
        case signalled(Int32)
        /// The run was cancelled.
        case cancelled
        /// The program exceeded an output limit and was killed.
        case overran
        /// The program was not started, because it does not exist or cannot be executed.
        case notExecutable
        /// The program was not started because the system lacks a resource, such as processes or descriptors. The value
        /// is an `errno`.
        case notStarted(Int32)
        /// The receiver of the output failed.
        case refused(AIServiceError)
        /// The run could not be tracked, for example because waiting for the process failed. The value is the operating
        /// system's message.
        case lost(String)
    }

    /// The output of a run.
    enum Output: Sendable, Hashable {
        /// The bytes that the program wrote.
        case bytes([UInt8])
        /// The tally of a streamed answer.
        case relayed(OutputTally)
        /// There is no output file.
        case noFile
        /// The output file is a directory, a link or a device.
        case notAFile
        /// The output file cannot be read. The value is an `errno`.
        case unreadable(Int32)
    }

    /// How the run ended.
    var end: End
    /// The output.
    var output: Output = .bytes([])
    /// The end of the program's standard error, at most ``CommandFiles/errorTailLength`` bytes.
    var errorTail: [UInt8] = []
}
#endif
