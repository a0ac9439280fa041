import Foundation
import Hablare
import HablareFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
import HablareFileErrors
#endif

/// The file that a store has opened, to notice when its path names another one, or none.
///
/// SQLite goes on writing to a file that was deleted, and tells nobody: what is committed then is gone with the process.
struct DatabaseIdentity: Sendable, Hashable {
    private let path: String
    private let device: UInt64
    private let file: UInt64

    /// Looks at the file of a path, which is to be opened next. No other file has its number for as long as it is open.
    init(ofFileAt path: String) throws(AIServiceError) {
        (device, file) = try Self.numbers(ofFileAt: path)
        self.path = path
    }

    /// Looks whether the path still names the file. One call of the system.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/storageMissing`` where it does not.
    func check() throws(AIServiceError) {
        let (device, file) = try Self.numbers(ofFileAt: path)
        guard (device, file) == (self.device, self.file) else {
            throw .missing(path, cause: "another file is in its place")
        }
    }

    private static func numbers(ofFileAt path: String) throws(AIServiceError) -> (device: UInt64, file: UInt64) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw AIServiceError(FileFailure(doing: .look, to: path)) }
            throw .missing(path, cause: String(cString: strerror(errno)))
        }
        return (UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino))
    }
}

extension AIServiceError {
    /// - Parameter name: What is not there any more.
    static func missing(_ name: String, cause: String) -> AIServiceError {
        AIServiceError(
            .storageMissing,
            "\(name) was deleted, moved or replaced while the store was open, so that nothing is kept any more. End this process. Bring the store's folder back if its requests are needed, then start again.",
            cause: cause)
    }
}
