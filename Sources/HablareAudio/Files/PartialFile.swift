import Foundation

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
/// next one take over what a killed process left behind.
final class PartialFile: SeekableBytes {
    /// How often a lock may turn out to be on a file that was renamed meanwhile, before the name counts as busy.
    private static let maximumAttempts = 100

    private let finalPath: String
    private let folder: String
    private let partialPath: String
    private let calls: FileCalls
    private var descriptor: CInt?
    private(set) var length: Int64 = 0
    var position: Int64 = 0
    private(set) var failure: AudioError?

    init(for output: URL, calls: FileCalls) throws(AudioError) {
        // Absolute, so that a change of the working directory between here and the end changes nothing.
        let output = output.absoluteURL
        finalPath = output.path
        folder = output.deletingLastPathComponent().path
        partialPath = folder + "/." + output.lastPathComponent + ".partial"
        self.calls = calls
        guard output.isFileURL else {
            throw AudioError(
                code: .notWritable, message: "\(output.absoluteString) is not a file on this machine; give a file.")
        }
        descriptor = nil
        do throws(SystemFailure) {
            var status = stat()
            if stat(finalPath, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { throw SystemFailure(code: EISDIR) }
            descriptor = try Self.openLocked(partialPath, calls)
        } catch {
            throw error.writing(finalPath)
        }
    }

    deinit {
        discard()
    }

    /// Syncs the file, gives it its name, and syncs the folder. Without success the temporary file is still there, to
    /// be discarded; if only the last step fails, the file has its name already.
    func commit() throws(AudioError) {
        if let failure { throw failure }
        guard let descriptor else { throw .joinerIsClosed }
        do throws(SystemFailure) {
            try calls.sync(descriptor)
            try calls.rename(partialPath, finalPath)
        } catch {
            throw error.writing(finalPath)
        }
        close(descriptor)
        self.descriptor = nil
        do throws(SystemFailure) {
            try calls.syncFolder(folder)
        } catch {
            throw AudioError(
                code: .writeFailed,
                message:
                    "\(finalPath) is complete, but its folder could not be synced: \(error.reason). A power failure "
                    + "may still undo it; look after the disk and write it again.")
        }
    }

    /// Removes the temporary file, unless it was committed or discarded before.
    func discard() {
        guard let descriptor else { return }
        // Nothing can be done if this fails: the next writer takes the file over.
        unlink(partialPath)
        close(descriptor)
        self.descriptor = nil
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        0
    }

    func write(_ buffer: UnsafeRawBufferPointer) -> Int {
        guard let descriptor, position >= 0 else { return 0 }
        var done = 0
        while failure == nil, done < buffer.count {
            do throws(SystemFailure) {
                let count = try calls.write(descriptor, UnsafeRawBufferPointer(rebasing: buffer[done...]), position)
                guard count > 0 else { throw SystemFailure(code: ENOSPC) }
                done += count
                position += Int64(count)
                length = max(length, position)
            } catch {
                failure = error.writing(finalPath)
            }
        }
        return done
    }

    /// Opens or makes a file, locks it, and only then empties it.
    private static func openLocked(_ path: String, _ calls: FileCalls) throws(SystemFailure) -> CInt {
        for _ in 0..<maximumAttempts {
            let descriptor = try calls.open(path)
            do throws(SystemFailure) {
                guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .last }
                // The file may have been renamed or removed between the two calls: then the lock is on another file.
                guard isSameFile(descriptor, path) else {
                    close(descriptor)
                    continue
                }
                guard ftruncate(descriptor, 0) == 0 else { throw .last }
                return descriptor
            } catch {
                close(descriptor)
                throw error
            }
        }
        throw SystemFailure(code: EWOULDBLOCK)
    }

    private static func isSameFile(_ descriptor: CInt, _ path: String) -> Bool {
        var opened = stat()
        var named = stat()
        return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0
            && opened.st_dev == named.st_dev && opened.st_ino == named.st_ino
    }
}
