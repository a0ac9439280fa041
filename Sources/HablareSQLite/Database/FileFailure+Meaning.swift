import Hablare
import HablareFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension AIServiceError {
    /// The meaning of a failure of the file system.
    init(_ failure: FileFailure) {
        // Whatever folder a store needs was made when it was opened.
        guard failure.number != ENOENT else {
            self = .missing("The folder of \(failure.path)", cause: failure.cause)
            return
        }
        let access: FileAccess =
            switch failure.action {
            case .open, .read, .list, .look, .resolve: .reading
            case .makeFolder: .makingFolder
            case .make, .write, .sync, .rename, .remove, .lock: .writing
            }
        self.init(errno: failure.number, access, path: failure.path, cause: failure.cause)
    }
}

/// Runs calls to the file system, and throws the meaning of a failure.
func translatingFileFailures<R>(_ body: () throws -> R) throws -> R {
    do {
        return try body()
    } catch let failure as FileFailure {
        throw AIServiceError(failure)
    }
}
