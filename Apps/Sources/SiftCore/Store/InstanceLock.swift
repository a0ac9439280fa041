public import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Keeps a second Sift from working on the same data folder. Held as long as the object lives, and released by the
/// system when the process ends in any way.
public final class InstanceLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock of a data folder.
    ///
    /// - Parameter folder: The data folder. It must exist. The file `sift.lock` is created in it and stays.
    /// - Throws: ``PhotoProcessingError`` with code `busy` if another Sift has the lock, or `permissionMissing`,
    ///   `diskFull`.
    public init(_ folder: URL) throws(PhotoProcessingError) {
        let path = folder.appending(path: "sift.lock", directoryHint: .notDirectory).path
        do throws(SystemFailure) {
            descriptor = try System.call("open") { openat(AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, mode_t(0o600)) }
        } catch {
            throw error.forPerson
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw PhotoProcessingError(.busy)
        }
    }

    deinit { close(descriptor) }
}
