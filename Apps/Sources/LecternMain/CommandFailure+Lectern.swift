import AppCommand
import Hablare
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
        case let error as ExportError: self.init(Self.status(of: error.code), error.message)
        case let error as AIServiceError: self.init(Self.status(of: error), error.message)
        default: self.init(shared: error)
        }
    }

    private static func status(of code: ExportError.Code) -> Status {
        switch code {
        case .missing: .inputMissing
        case .notWritable: .inputOutput
        default: .incomplete
        }
    }

    private static func status(of error: AIServiceError) -> Status {
        switch error.code {
        case .providerNotFound, .programMissing: .unavailable
        case .storageBusy: .temporary
        case .storageTooNew, .storageCorrupt: .configuration
        default: error.category == .storage ? .inputOutput : .incomplete
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
