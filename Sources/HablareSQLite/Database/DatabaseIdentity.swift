import Foundation
import Hablare
import HablareFileErrors
import HablareFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The identity of the file that a store opened. With it, the store detects that another file, or no file, is now at
/// its path.
///
/// This is necessary because SQLite continues to write to a deleted file without an error. Data that is committed to a
/// deleted file is lost when the process ends.
struct DatabaseIdentity: Sendable, Hashable {
    private let path: String
    private let device: UInt64
    private let file: UInt64

    /// Reads the identity of the file at a path. Open the file directly afterwards. While it is open, no other file can
    /// have the same identity.
    init(ofFileAt path: String) throws(AIServiceError) {
        (device, file) = try Self.numbers(ofFileAt: path)
        self.path = path
    }

    /// Checks, with one system call, that the same file is still at the path.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/storageMissing`` if another file or no file is at the path.
    func check() throws(AIServiceError) {
        let (device, file) = try Self.numbers(ofFileAt: path)
        guard (device, file) == (self.device, self.file) else {
            throw .missing(path, cause: "another file is in its place")
        }
    }

    /// The error that ``check()`` throws if another file or no file is at the path. `nil` if the same file is at the
    /// path, or if this cannot be checked.
    var loss: AIServiceError? {
        do throws(AIServiceError) {
            try check()
            return nil
        } catch {
            return error.code == .storageMissing ? error : nil
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
    /// Returns the error for a part of the store that is missing.
    ///
    /// - Parameter name: The name of the missing file or folder.
    static func missing(_ name: String, cause: String) -> AIServiceError {
        AIServiceError(
            .storageMissing,
            """
            \(name) was deleted, moved or replaced while the store was open, so nothing more can be stored. End this \
            process. If you need the requests of the store, restore its folder. Then start again.
            """,
            cause: cause)
    }
}
