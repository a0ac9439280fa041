import AppCommand
import LecternCore

extension AppStartError {
    /// Describes a failure to use the data directory.
    init(_ error: any Error, data: String) {
        switch error {
        case let error as PersonalDataError where error.code == .diskFull: self.init(dataFull: data, of: "Lectern")
        case let error as PersonalDataError:
            self.init(.dataFailed, "The marks in '\(data)' cannot be read. \(error.message)")
        default: self.init(error, data: data, of: "Lectern")
        }
    }
}
