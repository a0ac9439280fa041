import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The system calls that write a file durably. Tests replace them to observe their order and to make them fail.
package struct DurableCalls: Sendable {
    /// Syncs the bytes of an open file, or the names in an open folder, to the disk. Returns when the bytes or names
    /// are on the disk. The path is only used in errors.
    package var sync: @Sendable (_ descriptor: CInt, _ path: String) throws(FileFailure) -> Void
    /// Renames a file atomically. If there is a file with the new name, replaces it.
    package var rename: @Sendable (_ path: String, _ newPath: String) throws(FileFailure) -> Void

    /// Creates the calls.
    package init(
        sync: @escaping @Sendable (_ descriptor: CInt, _ path: String) throws(FileFailure) -> Void,
        rename: @escaping @Sendable (_ path: String, _ newPath: String) throws(FileFailure) -> Void
    ) {
        self.sync = sync
        self.rename = rename
    }

    /// The calls of the operating system.
    package static let system = DurableCalls(
        sync: { descriptor, path throws(FileFailure) in
            #if canImport(Darwin)
            // fsync on Apple platforms does not reach the disk. Some file systems do not support F_FULLFSYNC.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
            #endif
            while fsync(descriptor) != 0 {
                guard errno == EINTR else { throw FileFailure(doing: .sync, to: path) }
            }
        },
        rename: { path, newPath throws(FileFailure) in
            while systemRename(path, newPath) != 0 {
                guard errno == EINTR else { throw FileFailure(doing: .rename, to: newPath) }
            }
        })

    /// Calls that do not wait until data is on the disk. If the machine crashes, the last writes may be lost.
    package static let unsynced = DurableCalls(sync: { _, _ in }, rename: DurableCalls.system.rename)

    /// Syncs the names in an open folder to the disk.
    ///
    /// - Throws: ``FileFailure``. If the file system cannot sync a folder, no error is thrown. Such file systems write
    ///   names at once.
    package func syncFolder(_ descriptor: CInt, _ path: String) throws(FileFailure) {
        do throws(FileFailure) {
            try sync(descriptor, path)
        } catch {
            guard error.number == EINVAL || error.number == ENOTSUP else { throw error }
        }
    }

    /// Syncs the names in a folder to the disk.
    ///
    /// - Throws: ``FileFailure``. See ``syncFolder(_:_:)``.
    package func syncFolder(_ path: String) throws(FileFailure) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(doing: .open, to: path) }
        defer { close(descriptor) }
        try syncFolder(descriptor, path)
    }

    /// Creates a folder, and the parent folders that do not exist. See ``makeFolder(_:)``.
    package func makeFolders(_ path: String) throws(FileFailure) {
        do throws(FileFailure) {
            try makeFolder(path)
        } catch {
            let above = Self.above(path)
            guard error.action == .makeFolder, error.number == ENOENT, above != path else { throw error }
            try makeFolders(above)
            try makeFolder(path)
        }
    }

    /// Creates a folder in an existing folder, and syncs its name to the disk. Only the owner can access the new
    /// folder. If the folder already exists, its name is also synced, because the process that created it may not have
    /// done so.
    ///
    /// - Throws: ``FileFailure``. The error number is `ENOTDIR` if a file has the folder's path. If the parent folder
    ///   can be entered but not read, it cannot be synced. No error is thrown in this case.
    package func makeFolder(_ path: String) throws(FileFailure) {
        if mkdir(path, 0o700) != 0 {
            let number = errno
            // For an existing folder that could not be created anyway, the system may report another error than EEXIST.
            if !FileSystem.isFolder(path) {
                throw FileFailure(number == EEXIST ? ENOTDIR : number, doing: .makeFolder, to: path)
            }
        }
        do throws(FileFailure) {
            try syncFolder(Self.above(path))
        } catch {
            guard error.action == .open, error.number == EACCES || error.number == EPERM else { throw error }
        }
    }

    private static func above(_ path: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().path
    }
}

/// Calls the system's `rename`. In the type itself, the property of the same name hides this function.
private func systemRename(_ path: String, _ newPath: String) -> CInt { rename(path, newPath) }
