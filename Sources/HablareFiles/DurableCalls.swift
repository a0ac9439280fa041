import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The calls to the operating system in whose order a file becomes durable: the seam at which tests see them, and make
/// them fail.
package struct DurableCalls: Sendable {
    /// Returns when the bytes of an open file, or the names in an open folder, are on the disk. The path is for errors.
    package var sync: @Sendable (_ descriptor: CInt, _ path: String) throws(FileFailure) -> Void
    /// Gives a file another name at once, in place of a file that had it.
    package var rename: @Sendable (_ path: String, _ newPath: String) throws(FileFailure) -> Void

    /// Creates the calls.
    package init(
        sync: @escaping @Sendable (_ descriptor: CInt, _ path: String) throws(FileFailure) -> Void,
        rename: @escaping @Sendable (_ path: String, _ newPath: String) throws(FileFailure) -> Void
    ) {
        self.sync = sync
        self.rename = rename
    }

    /// The operating system.
    package static let system = DurableCalls(
        sync: { descriptor, path throws(FileFailure) in
            #if canImport(Darwin)
            // fsync on Apple platforms does not reach the disk; some file systems know no F_FULLFSYNC.
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

    /// Nothing waits for the disk: a machine that stops may lose what was written last.
    package static let unsynced = DurableCalls(sync: { _, _ in }, rename: DurableCalls.system.rename)

    /// Puts the names in an open folder on the disk.
    ///
    /// - Throws: ``FileFailure``. None where the file system cannot sync a folder: those write names at once instead.
    package func syncFolder(_ descriptor: CInt, _ path: String) throws(FileFailure) {
        do throws(FileFailure) {
            try sync(descriptor, path)
        } catch {
            guard error.number == EINVAL || error.number == ENOTSUP else { throw error }
        }
    }

    /// Puts the names in a folder on the disk.
    ///
    /// - Throws: ``FileFailure``, as ``syncFolder(_:_:)`` does.
    package func syncFolder(_ path: String) throws(FileFailure) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(doing: .open, to: path) }
        defer { close(descriptor) }
        try syncFolder(descriptor, path)
    }

    /// Makes a folder and the missing ones above it, as ``makeFolder(_:)`` makes each.
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

    /// Makes a folder in one that is there, for its owner alone, and puts its name on the disk. The name of a folder that
    /// is there is put on the disk, too: whoever made it may not have come to that yet.
    ///
    /// - Throws: ``FileFailure``; with `ENOTDIR` where a file is in its place. None where the folder above may be passed
    ///   and not read, so that it cannot be synced.
    package func makeFolder(_ path: String) throws(FileFailure) {
        if mkdir(path, 0o700) != 0 {
            let number = errno
            // A folder that is there is said to be so in other words where it could not be made.
            if !FileSystem.isFolder(path) {
                throw FileFailure(number == EEXIST ? ENOTDIR : number, doing: .makeFolder, to: path)
            }
        }
        do throws(FileFailure) {
            try syncFolder(Self.above(path))
        } catch {
            guard error.action == .open, error.number == EACCES else { throw error }
        }
    }

    private static func above(_ path: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().path
    }
}

/// The property of the calls hides the function of the system.
private func systemRename(_ path: String, _ newPath: String) -> CInt { rename(path, newPath) }
