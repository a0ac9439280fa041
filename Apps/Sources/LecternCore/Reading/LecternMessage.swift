public import HablarePersistence
import HablarePresentation
import LecternTexts

/// Messages for people that describe Lectern's errors.
public enum LecternMessage {
    /// Returns a message that says what is wrong and what to do.
    ///
    /// - Parameters:
    ///   - error: The error of a load, a search or an import.
    ///   - database: The database that was read or written.
    public static func text(for error: any Error, of database: AppDatabase) -> String {
        switch error {
        case let error as ReadingError: error.message
        case let error as PersonalDataError: error.message
        case let error as TextImportError: error.description
        default:
            AppDatabaseError(describing: error, of: database)?.message ?? ErrorMessage.standard(for: error)
        }
    }
}
