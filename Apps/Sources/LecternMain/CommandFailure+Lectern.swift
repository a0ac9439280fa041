import AppCommand
import LecternCore
import LecternTexts
import LecternWeb

extension CommandFailure {
    /// Describes any error that a command throws.
    init(of error: any Error) {
        switch error {
        case let error as TextImportError: self.init(Self.status(of: error.code), error.description)
        case let error as PersonalDataError: self.init(Self.status(of: error.code), error.message)
        case let error as ReadingError: self.init(.inputMissing, error.message)
        default: self.init(shared: error)
        }
    }

    private static func status(of code: TextImportError.Code) -> Status {
        switch code {
        case .unreadable: .inputMissing
        case .toolFailed: .unavailable
        default: .invalidInput
        }
    }

    private static func status(of code: PersonalDataError.Code) -> Status {
        switch code {
        case .damaged, .newerVersion, .conflict, .invalid, .tooLarge: .invalidInput
        case .takenOver: .temporary
        default: .inputOutput
        }
    }
}
