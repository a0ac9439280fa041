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

/// The folder of the file of keys, held open: everything in it is reached from there, so that no path is looked up twice
/// and leads elsewhere the second time.
struct CredentialsFolder: ~Copyable {
    /// So often is a lock asked for, a hundredth of a second apart.
    private static let patience = 500

    private let descriptor: CInt
    private let path: String
    private let calls: CredentialFileCalls

    private init(_ descriptor: CInt, _ path: String, _ calls: CredentialFileCalls) {
        self.descriptor = descriptor
        self.path = path
        self.calls = calls
    }

    /// Opens it; `nil` where there is none.
    ///
    /// - Parameter creates: Whether it is made where it is missing, for its owner alone, with those above it.
    /// - Throws: ``AIServiceError``: it cannot be opened, is somebody else's, or others may write in it.
    static func opened(
        _ path: String, creates: Bool, _ calls: CredentialFileCalls
    ) throws(AIServiceError) -> CredentialsFolder? {
        guard let descriptor = try descriptor(of: path, creates: creates, calls) else { return nil }
        // Closes it, also where it is refused now.
        let folder = CredentialsFolder(descriptor, path, calls)
        let status = try status(of: descriptor, path)
        guard [geteuid(), 0].contains(status.st_uid) else { throw FileTrust.stranger(path, status) }
        guard status.st_mode & 0o022 == 0 else {
            throw AIServiceError(
                .invalidConfiguration,
                "Others may write in the folder of the keys, \(path) (mode \(FileTrust.mode(status))). Close it: chmod go-w \(ShellWord.quoted(path))"
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

    /// The bytes of a file that only its owner may read; `nil` where there is none.
    ///
    /// - Throws: ``AIServiceError``: it is no such file, or cannot be read.
    func read(_ name: String, atMost limit: Int) throws(AIServiceError) -> Data? {
        let place = "\(path)/\(name)"
        // Without waiting for somebody to write into what may be a pipe.
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        guard let file = try Self.opened(place, { openat(descriptor, name, flags) }) else { return nil }
        defer { close(file) }
        try FileTrust.check(try Self.status(of: file, place), place)
        let data: Data
        do throws(FileFailure) {
            data = try FileSystem.read(0..<limit + 1, of: file, place)
        } catch {
            throw AIServiceError(ofKeys: error)
        }
        guard data.count <= limit else {
            throw AIServiceError(
                .storageCorrupt,
                "\(place) has more than \(limit) bytes, which no file of keys has. Nothing was changed. Move it away.")
        }
        return data
    }

    // MARK: Writing

    /// Does something while nobody else who asks for the same lock does.
    ///
    /// - Throws: ``AIServiceError`` with code `storageBusy` where somebody keeps it for five seconds.
    func locked<Value>(
        by name: String, _ body: () throws(AIServiceError) -> Value
    ) throws(AIServiceError) -> Value {
        let place = "\(path)/\(name)"
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        guard let lock = try Self.opened(place, { openat(descriptor, name, flags, 0o600) }) else {
            throw AIServiceError(ofKeys: FileFailure(ENOENT, doing: .make, to: place))
        }
        // Closing it gives the lock back. The file stays: whoever removed it could leave two with a lock each.
        defer { close(lock) }
        try FileTrust.check(try Self.status(of: lock, place), place)
        var attempts = 0
        while true {
            do throws(FileFailure) {
                if try FileLock.take(lock, of: place) { break }
            } catch {
                throw AIServiceError(ofKeys: error)
            }
            attempts += 1
            guard attempts < Self.patience else {
                throw AIServiceError(
                    .storageBusy,
                    "Another process is changing the keys, and keeps \(place) locked. Try again, or look which one: fuser \(ShellWord.quoted(place))"
                )
            }
            calls.pause()
        }
        return try body()
    }

    /// Puts a file in the place of another one, whole or not at all. Only for who has the lock: the name that it has
    /// until then is always the same, so that what a killed process left is taken away by the next one.
    ///
    /// - Throws: ``AIServiceError``. What was there is untouched, unless the message says that it is replaced.
    func replace(_ name: String, with data: Data) throws(AIServiceError) {
        let place = "\(path)/\(name)"
        let temporary = ".\(name).partial"
        do throws(FileFailure) {
            try write(data, to: temporary, place)
            try calls.rename(descriptor, temporary, name, place)
        } catch {
            // Nothing can be done where this fails: the next writer tries again.
            unlinkat(descriptor, temporary, 0)
            throw AIServiceError(ofKeys: error)
        }
        do throws(FileFailure) {
            try calls.durable.syncFolder(descriptor, path)
        } catch {
            let failure = AIServiceError(ofKeys: error)
            throw AIServiceError(
                failure.code,
                "\(place) is replaced, but a power failure may undo it: its folder could not be synced. Look after the disk and do it again.",
                cause: failure.cause)
        }
    }

    /// Writes and syncs a new file of the folder.
    private func write(_ data: Data, to name: String, _ place: String) throws(FileFailure) {
        if unlinkat(descriptor, name, 0) != 0, errno != ENOENT { throw FileFailure(doing: .write, to: place) }
        let file = openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw FileFailure(doing: .write, to: place) }
        defer { close(file) }
        // Whatever the process takes from the permissions of new files.
        guard fchmod(file, 0o600) == 0 else { throw FileFailure(doing: .write, to: place) }
        try FileSystem.write(data, to: file, place)
        try calls.durable.sync(file, place)
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
