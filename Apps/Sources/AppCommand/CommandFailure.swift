import Foundation
import HablareData
import HablarePersistence
import HablareWeb

/// The reason why a command ends early: a message that says what to do, and the exit status.
///
/// The numbers are those of `hablare` (docs/exit-codes.md), and their names follow sysexits(3).
public struct CommandFailure: Error, Sendable, Equatable {
    /// The exit status.
    public enum Status: Int32, Sendable {
        /// A part of the work could not be done, or `doctor` found a problem.
        case incomplete = 1
        /// The command line is wrong.
        case usage = 64
        /// The input is invalid.
        case invalidInput = 65
        /// A file or a folder that was named is missing or cannot be read.
        case inputMissing = 66
        /// A program that is needed is not installed.
        case unavailable = 69
        /// The data directory or the output cannot be created.
        case cannotCreate = 73
        /// Reading or writing failed, for example on a full volume.
        case inputOutput = 74
        /// Another process has the data, or another program has the port.
        case temporary = 75
        /// The data or the settings are damaged, or a newer version has written them.
        case configuration = 78
    }

    /// The exit status.
    public let status: Status
    /// The message, in full sentences.
    public let message: String

    /// Creates a failure.
    public init(_ status: Status, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Describes an error that every app can have. An app describes its own errors first.
    public init(shared error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as AppStartError: self.init(Self.status(of: error.code), error.message)
        case let error as AppDatabaseError: self.init(.inputOutput, error.message)
        case let error as ActionQueueError:
            self.init(error.code == .takenOver ? .temporary : .inputOutput, error.message)
        case let error as FaceServerError: self.init(Self.status(of: error.code), error.description)
        case let error as AccessTokenError: self.init(.configuration, error.description)
        default: self.init(.inputOutput, "Unexpected failure: \((error as NSError).localizedDescription)")
        }
    }

    private static func status(of code: AppStartError.Code) -> Status {
        switch code {
        case .cannotCreateData: .cannotCreate
        case .busy: .temporary
        case .dataUnusable: .configuration
        default: .inputOutput
        }
    }

    private static func status(of code: FaceServerError.Code) -> Status {
        switch code {
        case .portTaken: .temporary
        case .noSuchAddress, .notPermitted: .usage
        default: .inputOutput
        }
    }
}
