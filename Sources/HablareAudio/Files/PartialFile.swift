package import Foundation
import HablareFiles

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file that is written under a temporary name. It gets its final name in one step, when it is complete and on the
/// disk.
///
/// Each final name has one fixed temporary name, which a lock protects. A second writer cannot get the lock. If a
/// process was killed, its lock is free, so the next writer can reuse its temporary file. The new file gets the
/// permissions of the file that it replaces. The temporary file is never readable for more users than the replaced
/// file.
package final class PartialFile: SeekableBytes {
    /// The maximum number of attempts to lock the file. If the file was renamed before it was locked, another attempt
    /// is needed. After the maximum number of attempts, the name counts as busy.
    private static let maximumAttempts = 100

    private let finalPath: String
    private let folder: String
    private let partialPath: String
    private let calls: FileCalls
    /// The permissions of the file to replace; `nil` if there is no such file.
    private let mode: mode_t?
    private var descriptor: CInt?
    private(set) var length: Int64 = 0
    var position: Int64 = 0
    private(set) var failure: AudioError?

    /// Creates the temporary file.
    ///
    /// - Throws: ``AudioError`` with code `folderMissing`, `notWritable`, `busy`, `diskFull` or `writeFailed`.
    package convenience init(for output: URL) throws(AudioError) {
        try self.init(for: output, calls: .system)
    }

    init(for output: URL, calls: FileCalls) throws(AudioError) {
        // An absolute path is not affected by a change of the working directory.
        let output = output.absoluteURL
        finalPath = output.path
        folder = output.deletingLastPathComponent().path
        partialPath = folder + "/" + Self.partialName(of: output.lastPathComponent)
        self.calls = calls
        var status = stat()
        let exists = stat(finalPath, &status) == 0
        mode = exists ? status.st_mode & 0o777 : nil
        guard output.isFileURL else {
            throw AudioError(
                code: .notWritable,
                message: "\(output.absoluteString) is not a file on this machine. Pass the path of a file.")
        }
        descriptor = nil
        if exists, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) {
            throw AudioError(
                code: .notWritable,
                message:
                    "\(finalPath) is a pipe, a device or a socket, and a file would replace it. Pass the path of a regular file."
            )
        }
        do throws(FileFailure) {
            if exists, status.st_mode & S_IFMT == S_IFDIR { throw FileFailure(EISDIR, doing: .open, to: finalPath) }
            descriptor = try Self.openLocked(partialPath, mode, calls)
        } catch {
            throw AudioError(error, writing: finalPath)
        }
    }

    deinit {
        discard()
    }

    /// Syncs the file, renames it, and syncs the folder. After a failure, the temporary file still exists, and the
    /// caller must discard it. If only the sync of the folder fails, the file already has its final name.
    ///
    /// - Throws: ``AudioError`` with code `notWritable`, `diskFull` or `writeFailed`. If an earlier write failed, the
    ///   error of that write.
    package func commit() throws(AudioError) {
        if let failure { throw failure }
        guard let descriptor else { throw .joinerIsClosed }
        do throws(FileFailure) {
            if let mode { try Self.permit(mode, descriptor, partialPath) }
            try calls.durable.sync(descriptor, partialPath)
            try calls.durable.rename(partialPath, finalPath)
        } catch {
            throw AudioError(error, writing: finalPath)
        }
        close(descriptor)
        self.descriptor = nil
        do throws(FileFailure) {
            try calls.durable.syncFolder(folder)
        } catch {
            throw AudioError(
                code: .writeFailed,
                message:
                    "\(finalPath) is complete, but its folder could not be synced: \(error.reason.lowercased()). A power failure "
                    + "may still undo it. Check the disk, then write the file again.")
        }
    }

    /// Removes the temporary file, unless it was already committed or discarded.
    package func discard() {
        guard let descriptor else { return }
        // A failure needs no handling: the next writer takes the file over.
        unlink(partialPath)
        close(descriptor)
        self.descriptor = nil
    }

    /// Appends bytes.
    ///
    /// - Throws: ``AudioError`` with code `diskFull`, `tooLarge` or `writeFailed`. Code `closed` if the file was
    ///   already committed or discarded.
    package func append(_ bytes: Data) throws(AudioError) {
        guard descriptor != nil else { throw .joinerIsClosed }
        _ = bytes.withUnsafeBytes { write($0) }
        if let failure { throw failure }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        0
    }

    func write(_ buffer: UnsafeRawBufferPointer) -> Int {
        guard let descriptor, position >= 0 else { return 0 }
        var done = 0
        while failure == nil, done < buffer.count {
            do throws(FileFailure) {
                let remainder = UnsafeRawBufferPointer(rebasing: buffer[done...])
                let count = try calls.write(descriptor, remainder, position, finalPath)
                guard count > 0 else { throw FileFailure(ENOSPC, doing: .write, to: finalPath) }
                done += count
                position += Int64(count)
                length = max(length, position)
            } catch {
                failure = AudioError(error, writing: finalPath)
            }
        }
        return done
    }

    /// Returns the temporary name, shortened to the maximum length of a file name.
    private static func partialName(of name: String) -> String {
        var name = name
        while name.utf8.count + ".".utf8.count + ".partial".utf8.count > Int(NAME_MAX) { name.removeLast() }
        return ".\(name).partial"
    }

    /// Opens or creates a file, locks it, and then truncates it.
    private static func openLocked(
        _ path: String, _ mode: mode_t?, _ calls: FileCalls
    ) throws(FileFailure) -> CInt {
        // The next writer must be able to take the file over, even when the file to replace is read-only.
        let interim = mode.map { $0 | S_IRUSR | S_IWUSR }
        for _ in 0..<maximumAttempts {
            let descriptor = try calls.open(path, interim ?? 0o666)
            do throws(FileFailure) {
                guard try FileLock.take(descriptor, of: path) else {
                    throw FileFailure(EWOULDBLOCK, doing: .lock, to: path)
                }
                // The file may have been renamed or removed before the lock was taken. The lock is then on another
                // file.
                guard FileLock.isFile(descriptor, at: path) else {
                    close(descriptor)
                    continue
                }
                // Another process may have opened the leftovers of a killed process, and could read the new bytes
                // through them.
                if let mode, try isLeftOver(descriptor, path, beyond: mode), unlink(path) == 0 {
                    close(descriptor)
                    continue
                }
                guard ftruncate(descriptor, 0) == 0 else { throw FileFailure(doing: .write, to: path) }
                if let interim { try permit(interim, descriptor, path) }
                return descriptor
            } catch {
                close(descriptor)
                throw error
            }
        }
        throw FileFailure(EWOULDBLOCK, doing: .lock, to: path)
    }

    /// Returns whether a file has content, and whether more users may read it than the permissions allow.
    private static func isLeftOver(
        _ descriptor: CInt, _ path: String, beyond mode: mode_t
    ) throws(FileFailure) -> Bool {
        let status = try status(of: descriptor, path)
        return status.st_size > 0 && status.st_mode & 0o077 & ~mode != 0
    }

    /// Sets the permissions only if they differ, because some file systems cannot set permissions.
    private static func permit(_ mode: mode_t, _ descriptor: CInt, _ path: String) throws(FileFailure) {
        guard try status(of: descriptor, path).st_mode & 0o777 != mode else { return }
        guard fchmod(descriptor, mode) == 0 else { throw FileFailure(doing: .write, to: path) }
    }

    private static func status(of descriptor: CInt, _ path: String) throws(FileFailure) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileFailure(doing: .look, to: path) }
        return status
    }
}
