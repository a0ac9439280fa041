import ArgumentParser
import Foundation
import HablareData
import HablarePersistence
import HablareWeb
import SiftCore
import SiftWeb

/// The reason why a command ends early: a message that says what to do, and the exit status.
///
/// The numbers are those of `hablare` (docs/exit-codes.md), and their names follow sysexits(3).
struct CommandFailure: Error, Equatable {
    /// The exit status.
    enum Status: Int32 {
        /// A part of the work could not be done, or `doctor` found a problem.
        case incomplete = 1
        /// The command line is wrong.
        case usage = 64
        /// A folder of photos is missing or cannot be read.
        case inputMissing = 66
        /// The data directory cannot be created.
        case cannotCreate = 73
        /// Reading or writing failed, for example on a full volume.
        case inputOutput = 74
        /// Another Sift has the data, or another program has the port.
        case temporary = 75
        /// The data or the settings are damaged, or a newer Sift has written them.
        case configuration = 78
    }

    let status: Status
    let message: String

    init(_ status: Status, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Describes any error that a command throws.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as SiftStartError: self.init(Self.status(of: error.code), error.message)
        case let error as PhotoProcessingError:
            self.init(Self.status(of: error.code), "\(error.message) \(error.advice)")
        case let error as AppDatabaseError: self.init(.inputOutput, error.message)
        case let error as ActionQueueError:
            self.init(error.code == .takenOver ? .temporary : .inputOutput, error.message)
        case let error as FaceServerError: self.init(Self.status(of: error.code), error.description)
        case let error as AccessTokenError: self.init(.configuration, error.description)
        default: self.init(.inputOutput, "Unexpected failure: \((error as NSError).localizedDescription)")
        }
    }

    private static func status(of code: SiftStartError.Code) -> Status {
        switch code {
        case .folderMissing: .inputMissing
        case .foldersOverlap, .trashInFolder: .usage
        case .cannotCreateData: .cannotCreate
        case .busy: .temporary
        case .dataUnusable: .configuration
        default: .inputOutput
        }
    }

    private static func status(of code: PhotoProcessingError.Code) -> Status {
        switch code {
        case .photoGone, .permissionMissing, .needsNetwork, .notAnswering: .inputMissing
        case .busy: .temporary
        case .diskFull, .noTrash, .nameTaken: .inputOutput
        default: .incomplete
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
