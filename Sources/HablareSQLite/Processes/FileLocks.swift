import Foundation
import Hablare

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// Tells living processes from dead ones by file locks, which the kernel lets go when a process ends, however it ends.
final class FileLocks: OwnerLiveness {
    let host: String
    private let directory: URL
    private let held = Guarded<[String: Int32]>([:])

    init(directory: URL) throws {
        self.directory = directory
        host = Self.machineName
        try FileSystem.createDirectory(directory)
    }

    deinit {
        for name in held.withLock({ Array($0.keys) }) { release(name) }
    }

    func acquire() throws -> String {
        let name = UUID.timeOrdered().uuidString.lowercased() + ".lock"
        let path = directory.appendingPathComponent(name).path
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw AIServiceError(errno: errno, doing: "create", path: path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(descriptor)
            unlink(path)
            if code == EWOULDBLOCK { return try acquire() }  // somebody looks at it at this very moment
            throw AIServiceError(errno: code, doing: "lock", path: path)
        }
        // Somebody who looked between the creation and the lock took the file for a dead process's and removed it.
        guard Self.isFile(descriptor, at: path) else {
            close(descriptor)
            return try acquire()
        }
        held.withLock { $0[name] = descriptor }
        return name
    }

    /// Whether an open file still is the one at a path.
    private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
        var open = stat()
        var named = stat()
        return fstat(descriptor, &open) == 0 && stat(path, &named) == 0 && open.st_ino == named.st_ino
            && open.st_dev == named.st_dev
    }

    func release(_ lockName: String) {
        guard let descriptor = held.withLock({ $0.removeValue(forKey: lockName) }) else { return }
        unlink(directory.appendingPathComponent(lockName).path)
        close(descriptor)
    }

    /// `ProcessInfo.hostName` may ask a name server; this does not.
    private static var machineName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Judged by the lock alone: a SQLite store is only ever shared by processes of one kernel, whatever its host is
    /// called at the moment.
    func gone(among owners: [OwnerRecord], at date: Date) throws -> Set<OwnerID> {
        Set(try owners.filter { try isFree($0.registration.lockName) }.map(\.id))
    }

    /// Whether nobody holds a lock. A free one is removed.
    func isFree(_ lockName: String) throws -> Bool {
        // A name from the database is a file name of ours or nothing.
        guard !lockName.isEmpty, !lockName.contains("/") else { return true }
        let path = directory.appendingPathComponent(lockName).path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return true }
            throw AIServiceError(errno: errno, doing: "open", path: path)
        }
        defer { close(descriptor) }
        // Shared, so that two processes that look at the same time do not take each other for the owner.
        if flock(descriptor, LOCK_SH | LOCK_NB) == 0 {
            unlink(path)
            return true
        }
        guard errno == EWOULDBLOCK else { throw AIServiceError(errno: errno, doing: "lock", path: path) }
        return false
    }
}
