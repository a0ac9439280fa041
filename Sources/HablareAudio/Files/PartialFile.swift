package import Foundation
import HablareFiles

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file that grows under a temporary name and takes its own in one step, when it is complete and on the disk.
///
/// The temporary name is always the same for a file, and held by a lock: that refuses a second writer, and lets the
/// next one take over what a killed process left behind. A file that is replaced keeps its permissions, and nobody
/// whom they exclude can read the new one while it grows.
package final class PartialFile: SeekableBytes {
    /// How often a lock may turn out to be on a file that was renamed meanwhile, before the name counts as busy.
    private static let maximumAttempts = 100

    private let finalPath: String
    private let folder: String
    private let partialPath: String
    private let calls: FileCalls
    /// The permissions of the file that is replaced; `nil` where there is none.
    private let mode: mode_t?
    private var descriptor: CInt?
    private(set) var length: Int64 = 0
    var position: Int64 = 0
    private(set) var failure: AudioError?

    /// Makes the temporary file.
    ///
    /// - Throws: ``AudioError`` with code `folderMissing`, `notWritable`, `busy`, `diskFull` or `writeFailed`.
    package convenience init(for output: URL) throws(AudioError) {
        try self.init(for: output, calls: .system)
    }

    init(for output: URL, calls: FileCalls) throws(AudioError) {
        // Absolute, so that a change of the working directory between here and the end changes nothing.
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
                code: .notWritable, message: "\(output.absoluteString) is not a file on this machine; give a file.")
        }
        descriptor = nil
        if exists, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) {
            throw AudioError(
                code: .notWritable,
                message: "\(finalPath) is a pipe, a device or a socket, and a file would take its place; give a file.")
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

    /// Syncs the file, gives it its name, and syncs the folder. Without success the temporary file is still there, to
    /// be discarded; if only the last step fails, the file has its name already.
    ///
    /// - Throws: ``AudioError`` with code `notWritable`, `diskFull` or `writeFailed`; the first error of a write.
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
                    + "may still undo it; look after the disk and write it again.")
        }
    }

    /// Removes the temporary file, unless it was committed or discarded before.
    package func discard() {
        guard let descriptor else { return }
        // Nothing can be done if this fails: the next writer takes the file over.
        unlink(partialPath)
        close(descriptor)
        self.descriptor = nil
    }

    /// Writes bytes behind what is there.
    ///
    /// - Throws: ``AudioError`` with code `diskFull`, `tooLarge` or `writeFailed`; `closed` after an end of any kind.
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
                let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
                let count = try calls.write(descriptor, rest, position, finalPath)
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

    /// As much of the name as fits.
    private static func partialName(of name: String) -> String {
        var name = name
        while name.utf8.count + ".".utf8.count + ".partial".utf8.count > Int(NAME_MAX) { name.removeLast() }
        return ".\(name).partial"
    }

    /// Opens or makes a file, locks it, and only then empties it.
    private static func openLocked(
        _ path: String, _ mode: mode_t?, _ calls: FileCalls
    ) throws(FileFailure) -> CInt {
        // Whoever takes it over must be able to open it, also where the file that is replaced may only be read.
        let interim = mode.map { $0 | S_IRUSR | S_IWUSR }
        for _ in 0..<maximumAttempts {
            let descriptor = try calls.open(path, interim ?? 0o666)
            do throws(FileFailure) {
                guard try FileLock.take(descriptor, of: path) else {
                    throw FileFailure(EWOULDBLOCK, doing: .lock, to: path)
                }
                // The file may have been renamed or removed between the two calls: then the lock is on another file.
                guard FileLock.isFile(descriptor, at: path) else {
                    close(descriptor)
                    continue
                }
                // Somebody may have opened what a killed process left, and would read on.
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

    /// Whether there is something in a file that others may read than those whom the permissions allow to.
    private static func isLeftOver(
        _ descriptor: CInt, _ path: String, beyond mode: mode_t
    ) throws(FileFailure) -> Bool {
        let status = try status(of: descriptor, path)
        return status.st_size > 0 && status.st_mode & 0o077 & ~mode != 0
    }

    /// Sets permissions where they are others: not every file system can.
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
