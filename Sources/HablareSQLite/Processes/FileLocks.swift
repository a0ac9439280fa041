import Foundation
import Hablare
import HablareFileErrors
import HablareFiles
import HablareSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// Locks of files that show whether a process is alive or dead. When a process ends in any way, the kernel releases its
/// locks.
final class FileLocks: OwnerLiveness {
    let host: String
    private let directory: URL
    private let held = Locked<[String: Int32]>([:])

    init(directory: URL) throws {
        self.directory = directory
        host = Self.machineName
        try translatingStoreFailures { try DurableCalls.system.makeFolder(directory.path) }
    }

    deinit {
        for name in held.withLock({ Array($0.keys) }) { release(name) }
    }

    func acquire() throws -> String {
        while true {
            let name = UUID.timeOrdered().uuidString.lowercased() + ".lock"
            guard let descriptor = try translatingStoreFailures({ try lockedFile(name) }) else { continue }
            held.withLock { $0[name] = descriptor }
            return name
        }
    }

    /// Creates a file and locks it. Before the file is locked, another process may see it and assume that it belongs to
    /// a dead process. The other process may then have locked or removed the file. In this case returns `nil`.
    private func lockedFile(_ name: String) throws -> CInt? {
        let path = directory.appendingPathComponent(name).path
        let descriptor = try FileSystem.create(path)
        do {
            if try FileLock.take(descriptor, of: path), FileLock.isFile(descriptor, at: path) { return descriptor }
        } catch {
            close(descriptor)
            unlink(path)
            throw error
        }
        close(descriptor)
        unlink(path)
        return nil
    }

    func release(_ lockName: String) {
        guard let descriptor = held.withLock({ $0.removeValue(forKey: lockName) }) else { return }
        unlink(directory.appendingPathComponent(lockName).path)
        close(descriptor)
    }

    /// The machine's name. In contrast to `ProcessInfo.hostName`, reading it never queries a name server.
    private static var machineName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Returns the processes whose locks are free. Checking only the locks is sufficient, because all processes on an
    /// SQLite store use the same kernel. The host may even be renamed.
    func gone(among owners: [OwnerRecord], at date: Date) throws -> Set<OwnerID> {
        Set(try owners.filter { try isFree($0.registration.lockName) }.map(\.id))
    }

    /// Returns whether no process holds a lock. If so, removes the file of the lock.
    func isFree(_ lockName: String) throws -> Bool {
        // A name from the database that is not a plain file name is no lock of ours.
        guard !lockName.isEmpty, !lockName.contains("/") else { return true }
        let path = directory.appendingPathComponent(lockName).path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return true }
            throw AIServiceError(FileFailure(doing: .open, to: path))
        }
        defer { close(descriptor) }
        // Shared, so that two processes that check at the same time do not take each other for the owner.
        guard try translatingStoreFailures({ try FileLock.take(descriptor, of: path, isShared: true) }) else {
            return false
        }
        unlink(path)
        return true
    }
}
