import Foundation

/// A temporary folder that is removed when this object is released. Its lock shows that it is in use, so that it is not
/// taken for a folder that a killed process left behind.
final class ScratchFolder: Sendable {
    private static let prefix = "hablare converting "
    /// The maximum number of attempts to create the folder. An attempt fails if another process removes the new folder
    /// before it is locked.
    private static let maximumAttempts = 10

    let url: URL
    private let lock: Lock

    init(in directory: URL) throws {
        try Self.collect(in: directory)
        for _ in 0..<Self.maximumAttempts {
            let url = directory.appending(path: Self.prefix + UUID().uuidString, directoryHint: .isDirectory)
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            guard let lock = Lock(url) else { continue }
            self.url = url
            self.lock = lock
            return
        }
        throw POSIXError(.EBUSY)
    }

    deinit {
        Self.remove(url)
    }

    private static func collect(in directory: URL) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path)
        where name.hasPrefix(prefix) && UUID(uuidString: String(name.dropFirst(prefix.count))) != nil {
            let url = directory.appending(path: name, directoryHint: .isDirectory)
            guard let lock = Lock(url) else { continue }
            withExtendedLifetime(lock) { remove(url) }
        }
    }

    /// Removes a folder. A failure is ignored: the folder does no harm, and the next process tries again.
    private static func remove(_ url: URL) {
        do { try FileManager.default.removeItem(at: url) } catch {}
    }

    private final class Lock: Sendable {
        private let descriptor: Int32

        /// Locks a folder. Fails if another process holds the lock, or if the folder does not exist or belongs to
        /// another user.
        init?(_ folder: URL) {
            let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            var opened = stat()
            var named = stat()
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &opened) == 0,
                lstat(folder.path, &named) == 0, opened.st_ino == named.st_ino, opened.st_dev == named.st_dev,
                opened.st_uid == geteuid()
            else {
                close(descriptor)
                return nil
            }
            self.descriptor = descriptor
        }

        deinit { close(descriptor) }
    }
}
