public import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Keeps a second process of an app from working on the same data directory. Held as long as the object lives, and
/// released by the system when the process ends in any way.
public final class InstanceLock: Sendable {
    /// The reason why a lock could not be taken.
    public enum Failure: Error, Sendable, Hashable {
        /// Another process has the lock.
        case busy
        /// The volume is full.
        case diskFull
        /// The lock's file cannot be created or opened. Holds the number of the system's error.
        case unusable(Int32)
    }

    private let descriptor: Int32

    /// Takes the lock of a data directory.
    ///
    /// - Parameters:
    ///   - folder: The data directory. It must exist.
    ///   - app: The app's name in lower case. The file `APP.lock` is created in the directory and stays.
    /// - Throws: ``Failure``.
    public init(_ folder: URL, app: String) throws(Failure) {
        let path = folder.appending(path: "\(app).lock", directoryHint: .notDirectory).path
        var opened: Int32
        repeat { opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode_t(0o600)) } while opened < 0 && errno == EINTR
        guard opened >= 0 else {
            if errno == ENOSPC || errno == EDQUOT { throw Failure.diskFull }
            throw Failure.unusable(errno)
        }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            close(opened)
            throw Failure.busy
        }
        descriptor = opened
    }

    deinit { close(descriptor) }
}
