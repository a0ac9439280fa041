import Hablare
import HablareFiles

extension AIServiceError {
    /// Creates the error that a failure of the file system means.
    init(_ failure: FileFailure) {
        let access: FileAccess =
            switch failure.action {
            case .open, .read, .list, .look, .resolve: .reading
            case .makeFolder: .makingFolder
            case .make, .write, .sync, .rename, .remove, .lock: .writing
            }
        self.init(errno: failure.number, access, path: failure.path, cause: failure.cause)
    }
}

/// Runs calls to the file system and translates a `FileFailure` into an `AIServiceError`.
func translatingFileFailures<R>(_ body: () throws -> R) throws -> R {
    do {
        return try body()
    } catch let failure as FileFailure {
        throw AIServiceError(failure)
    }
}
