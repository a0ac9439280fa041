import Foundation
import Hablare
import HablareFiles

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The folder of the key file, held open. All files are opened relative to the folder's descriptor. So if someone
/// replaces the folder, the path cannot lead to another place.
struct CredentialsFolder: ~Copyable {
    /// The maximum number of attempts to take a lock, a hundredth of a second apart.
    private static let maximumAttempts = 500

    private let descriptor: CInt
    private let path: String
    private let calls: CredentialFileCalls

    private init(_ descriptor: CInt, _ path: String, _ calls: CredentialFileCalls) {
        self.descriptor = descriptor
        self.path = path
        self.calls = calls
    }

    /// Opens the folder. Returns `nil` if the folder does not exist.
    ///
    /// - Parameter creates: Whether to create a missing folder and its missing parents. Only the owner may enter a
    ///   created folder.
    /// - Throws: ``AIServiceError`` if the folder cannot be opened, belongs to another user, or is writable by others.
    static func opened(
        _ path: String, creates: Bool, _ calls: CredentialFileCalls
    ) throws(AIServiceError) -> CredentialsFolder? {
        guard let descriptor = try descriptor(of: path, creates: creates, calls) else { return nil }
        // Closes the descriptor, also if the folder is refused below.
        let folder = CredentialsFolder(descriptor, path, calls)
        let status = try status(of: descriptor, path)
        guard [geteuid(), 0].contains(status.st_uid) else { throw FileTrust.stranger(path, status) }
        guard status.st_mode & 0o022 == 0 else {
            throw AIServiceError(
                .invalidConfiguration,
                """
                Other users can write to the folder of the keys, \(path) (mode \(FileTrust.mode(status))). To prevent \
                it: chmod go-w \(ShellWord.quoted(path))
                """
            )
        }
        return folder
    }

    private static func descriptor(
        of path: String, creates: Bool, _ calls: CredentialFileCalls
    ) throws(AIServiceError) -> CInt? {
        let opened = try opened(path) { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard opened == nil, creates else { return opened }
        do throws(FileFailure) {
            try calls.durable.makeFolders(path)
        } catch {
            throw AIServiceError(ofKeys: error)
        }
        return try descriptor(of: path, creates: false, calls)
    }

    deinit { close(descriptor) }

    // MARK: Reading

    /// Returns the bytes of a file that only its owner may read; `nil` if the file does not exist.
    ///
    /// - Throws: ``AIServiceError`` if others may access the file, if it is not a regular file, or if it cannot be
    ///   read.
    func read(_ name: String, atMost limit: Int) throws(AIServiceError) -> Data? {
        let location = "\(path)/\(name)"
        // If the file is a pipe, opening it does not wait for a writer.
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        guard let file = try Self.opened(location, { openat(descriptor, name, flags) }) else { return nil }
        defer { close(file) }
        try FileTrust.check(try Self.status(of: file, location), location)
        let data: Data
        do throws(FileFailure) {
            data = try FileSystem.read(0..<limit + 1, of: file, location)
        } catch {
            throw AIServiceError(ofKeys: error)
        }
        guard data.count <= limit else {
            throw AIServiceError(
                .storageCorrupt,
                "\(location) has more than \(limit) bytes, too many for a key file. Nothing was changed. Move it away.")
        }
        return data
    }

    // MARK: Writing

    /// Takes the lock, runs a closure, and releases the lock.
    ///
    /// - Throws: ``AIServiceError`` with code `storageBusy` if another process holds the lock for five seconds.
    func locked<Value>(
        by name: String, _ body: () throws(AIServiceError) -> Value
    ) throws(AIServiceError) -> Value {
        let location = "\(path)/\(name)"
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        guard let lock = try Self.opened(location, { openat(descriptor, name, flags, 0o600) }) else {
            throw AIServiceError(ofKeys: FileFailure(ENOENT, doing: .make, to: location))
        }
        // Closing the file releases the lock. The file stays: if it were removed, two processes could each lock a
        // different file.
        defer { close(lock) }
        try FileTrust.check(try Self.status(of: lock, location), location)
        var attempts = 0
        while true {
            do throws(FileFailure) {
                if try FileLock.take(lock, of: location) { break }
            } catch {
                throw AIServiceError(ofKeys: error)
            }
            attempts += 1
            guard attempts < Self.maximumAttempts else {
                throw AIServiceError(
                    .storageBusy,
                    """
                    Another process is changing the keys and has locked \(location). Try again, or find the process: \
                    fuser \(ShellWord.quoted(location))
                    """
                )
            }
            calls.pause()
        }
        return try body()
    }

    /// Replaces a file atomically. The caller must hold the lock. The temporary file always has the same name, so that
    /// the next writer removes a temporary file that a killed process left behind.
    ///
    /// - Throws: ``AIServiceError``. The old file is unchanged, unless the message says that it was replaced.
    func replace(_ name: String, with data: Data) throws(AIServiceError) {
        let location = "\(path)/\(name)"
        let temporary = ".\(name).partial"
        do throws(FileFailure) {
            try write(data, to: temporary, location)
            try calls.rename(descriptor, temporary, name, location)
        } catch {
            // A failure to remove the file is ignored: the next writer removes it.
            unlinkat(descriptor, temporary, 0)
            throw AIServiceError(ofKeys: error)
        }
        do throws(FileFailure) {
            try calls.durable.syncFolder(descriptor, path)
        } catch {
            let failure = AIServiceError(ofKeys: error)
            throw AIServiceError(
                failure.code,
                """
                \(location) is replaced, but its folder could not be synced, so a power failure may undo it. Check the \
                disk and run the command again.
                """,
                cause: failure.cause)
        }
    }

    /// Writes a new file in the folder and syncs the file to the disk.
    private func write(_ data: Data, to name: String, _ location: String) throws(FileFailure) {
        if unlinkat(descriptor, name, 0) != 0, errno != ENOENT { throw FileFailure(doing: .write, to: location) }
        let file = openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw FileFailure(doing: .write, to: location) }
        defer { close(file) }
        // Independent of the process's umask.
        guard fchmod(file, 0o600) == 0 else { throw FileFailure(doing: .write, to: location) }
        try FileSystem.write(data, to: file, location)
        try calls.durable.sync(file, location)
    }

    // MARK: Opening

    private static func opened(_ path: String, _ call: () -> CInt) throws(AIServiceError) -> CInt? {
        while true {
            let descriptor = call()
            if descriptor >= 0 { return descriptor }
            switch errno {
            case EINTR: continue
            case ENOENT: return nil
            case ELOOP, EMLINK: throw FileTrust.link(path)
            case ENOTDIR: throw FileTrust.noFolder(path)
            default: throw AIServiceError(ofKeys: FileFailure(doing: .open, to: path))
            }
        }
    }

    private static func status(of descriptor: CInt, _ path: String) throws(AIServiceError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw AIServiceError(ofKeys: FileFailure(doing: .look, to: path)) }
        return status
    }
}
