import Foundation
import Hablare

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
        if creates { try make(path, calls) }
        guard let opened = try opened(path, { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }) else { return nil }
        // Closes it, also where it is refused now.
        let folder = CredentialsFolder(opened, path, calls)
        let status = try status(of: opened, path)
        guard [geteuid(), 0].contains(status.st_uid) else { throw FileTrust.stranger(path, status) }
        guard status.st_mode & 0o022 == 0 else {
            throw AIServiceError(
                .invalidConfiguration,
                "Others may write in the folder of the keys, \(path) (mode \(FileTrust.mode(status))). Close it: chmod go-w \(ShellWord.quoted(path))"
            )
        }
        return folder
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
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = readBytes(file, &buffer)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .keys(errno, "read", place) }
            guard count > 0 else { return data }
            data += buffer[..<count]
            guard data.count <= limit else {
                throw AIServiceError(
                    .storageCorrupt,
                    "\(place) has more than \(limit) bytes, which no file of keys has. Nothing was changed. Move it away."
                )
            }
        }
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
            throw .keys(ENOENT, "created", place)
        }
        // Closing it gives the lock back. The file stays: whoever removed it could leave two with a lock each.
        defer { close(lock) }
        try FileTrust.check(try Self.status(of: lock, place), place)
        var attempts = 0
        while flock(lock, LOCK_EX | LOCK_NB) != 0 {
            guard [EWOULDBLOCK, EINTR].contains(errno) else { throw .keys(errno, "locked", place) }
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
        if unlinkat(descriptor, temporary, 0) != 0, errno != ENOENT { throw .keys(errno, "written", place) }
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let file = openat(descriptor, temporary, flags, 0o600)
        guard file >= 0 else { throw .keys(errno, "written", place) }
        do throws(AIServiceError) {
            defer { close(file) }
            // Whatever the process takes from the permissions of new files.
            guard fchmod(file, 0o600) == 0 else { throw .keys(errno, "written", place) }
            try Self.write(data, to: file, place)
            try calls.sync(file, place)
            try calls.rename(descriptor, temporary, name, place)
        } catch {
            // Nothing can be done where this fails: the next writer tries again.
            unlinkat(descriptor, temporary, 0)
            throw error
        }
        do throws(AIServiceError) {
            try calls.sync(descriptor, path)
        } catch {
            throw AIServiceError(
                error.code,
                "\(place) is replaced, but a power failure may undo it: its folder could not be synced. Look after the disk and do it again.",
                cause: error.cause)
        }
    }

    private static func write(_ data: Data, to file: CInt, _ place: String) throws(AIServiceError) {
        var rest = Array(data)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { writeBytes(file, $0) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .keys(count < 0 ? errno : ENOSPC, "written", place) }
            rest = rest.dropFirst(count)
        }
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
            case let code: throw .keys(code, "opened", path)
            }
        }
    }

    private static func status(of descriptor: CInt, _ path: String) throws(AIServiceError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .keys(errno, "looked at", path) }
        return status
    }

    /// Makes a folder and the missing ones above it, for their owner alone, and returns when their names are on the disk.
    private static func make(_ path: String, _ calls: CredentialFileCalls) throws(AIServiceError) {
        let above = URL(filePath: path, directoryHint: .isDirectory).deletingLastPathComponent().path
        for isSecondTry in [false, true] {
            if mkdir(path, 0o700) == 0 {
                guard let parent = try opened(above, { open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }) else {
                    return
                }
                defer { close(parent) }
                return try calls.sync(parent, above)
            }
            switch errno {
            case EEXIST: return
            case ENOENT where !isSecondTry && above != path: try make(above, calls)
            case ENOTDIR: throw FileTrust.noFolder(path)
            case let code: throw .keys(code, "created", path)
            }
        }
    }
}

private func readBytes(_ descriptor: CInt, _ buffer: inout [UInt8]) -> Int {
    read(descriptor, &buffer, buffer.count)
}

private func writeBytes(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
