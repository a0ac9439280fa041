import AppCommand
import SiftCore
import SiftWeb

extension CommandFailure {
    /// Describes any error that a command throws.
    init(_ error: any Error) {
        switch error {
        case let error as AppStartError where error.code == .folderMissing: self.init(.inputMissing, error.message)
        case let error as AppStartError where [.foldersOverlap, .trashInFolder].contains(error.code):
            self.init(.usage, error.message)
        case let error as PhotoProcessingError:
            self.init(Self.status(of: error.code), "\(error.message) \(error.advice)")
        default: self.init(shared: error)
        }
    }

    private static func status(of code: PhotoProcessingError.Code) -> Status {
        switch code {
        case .photoGone, .permissionMissing, .needsNetwork, .notAnswering: .inputMissing
        case .busy: .temporary
        case .diskFull, .notSaved, .noTrash, .nameTaken: .inputOutput
        default: .incomplete
        }
    }
}
