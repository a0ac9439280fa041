import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A folder that is held open by its descriptor. All operations name items inside it, so a folder that is renamed or
/// replaced by a link in the meantime cannot lead them elsewhere.
final class OpenDirectory: Sendable {
    let descriptor: Int32

    /// How its file system numbers files.
    let numbers: FileNumbers
    private let hasLastingNumbers: Bool

    /// Takes ownership of a descriptor.
    init(owning descriptor: Int32, numbers: FileNumbers) {
        self.descriptor = descriptor
        self.numbers = numbers
        hasLastingNumbers = numbers.areLasting(descriptor)
    }

    deinit { close(descriptor) }

    /// Opens a folder by its absolute path. Follows symbolic links, because the person chose the path.
    static func open(
        absolute path: [UInt8], numbers: FileNumbers = .ofSystem
    ) throws(SystemFailure) -> OpenDirectory {
        let characters = path.map { CChar(bitPattern: $0) } + [0]
        return OpenDirectory(
            owning: try System.call("open") { openat(AT_FDCWD, characters, O_RDONLY | O_DIRECTORY | O_CLOEXEC) },
            numbers: numbers)
    }

    /// Opens a folder inside this one. Never follows a symbolic link.
    func folder(_ name: FileName) throws(SystemFailure) -> OpenDirectory {
        OpenDirectory(
            owning: try System.call("openat") {
                name.withCString { openat(descriptor, $0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
            }, numbers: numbers)
    }

    /// Opens a folder inside this one, level by level. Never follows a symbolic link.
    func folder(at path: RelativeFolder) throws(SystemFailure) -> OpenDirectory {
        var folder = self
        for name in path.names { folder = try folder.folder(name) }
        return folder
    }

    /// Creates a folder. Does nothing if an item of that name exists.
    func makeFolder(_ name: FileName, mode: UInt32 = 0o755) throws(SystemFailure) {
        do {
            try System.call("mkdirat") { name.withCString { mkdirat(descriptor, $0, mode_t(mode)) } }
            try sync()
        } catch  where error.number == EEXIST {}
    }

    /// Returns the status of an item, of the link itself if it is a symbolic link. Returns nil if there is none.
    func status(of name: FileName) throws(SystemFailure) -> ItemStatus? {
        var status = stat()
        do {
            try System.call("fstatat") { name.withCString { fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW) } }
        } catch  where error.number == ENOENT { return nil }
        return item(status)
    }

    /// Returns the status of this folder.
    func status() throws(SystemFailure) -> ItemStatus { try status(ofDescriptor: descriptor) }

    /// Returns the status of an open descriptor in this folder.
    private func status(ofDescriptor descriptor: Int32) throws(SystemFailure) -> ItemStatus {
        var status = stat()
        try System.call("fstat") { fstat(descriptor, &status) }
        return item(status)
    }

    private func item(_ status: stat) -> ItemStatus {
        ItemStatus(status, inode: numbers.number(UInt64(status.st_ino)), isLasting: hasLastingNumbers)
    }

    /// Opens a regular file for reading. Never follows a symbolic link, and never waits for a pipe or a device.
    ///
    /// - Throws: The failure. `ENOENT` for anything that is not a regular file.
    func openFile(_ name: FileName) throws(SystemFailure) -> (descriptor: Int32, status: ItemStatus) {
        let file = try System.call("openat") {
            name.withCString { openat(descriptor, $0, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
        }
        do throws(SystemFailure) {
            let status = try status(ofDescriptor: file)
            guard status.kind == .file else { throw SystemFailure(number: ENOENT, call: "openat") }
            return (file, status)
        } catch {
            close(file)
            throw error
        }
    }

    /// Reads a whole file of at most `limit` bytes.
    ///
    /// - Throws: The failure. `EFBIG` for a larger file.
    func contents(of name: FileName, limit: Int) throws(SystemFailure) -> [UInt8] {
        let (file, status) = try openFile(name)
        defer { close(file) }
        guard status.version.size <= limit else { throw SystemFailure(number: EFBIG, call: "read") }
        var contents: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = try System.call("read") { read(file, &buffer, buffer.count) }
            guard count > 0 else { return contents }
            contents += buffer[..<count]
            guard contents.count <= limit else { throw SystemFailure(number: EFBIG, call: "read") }
        }
    }

    /// Creates a file with this content and syncs it. Never replaces a file (`EEXIST`). If the content cannot be
    /// written, removes the file.
    func create(_ name: FileName, contents: [UInt8], mode: UInt32 = 0o600) throws(SystemFailure) {
        let file = try System.call("openat") {
            name.withCString {
                openat(descriptor, $0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(mode))
            }
        }
        defer { close(file) }
        do throws(SystemFailure) {
            var rest = contents[...]
            while !rest.isEmpty {
                let count = try System.call("write") { rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } }
                rest = rest.dropFirst(count)
            }
            try System.call("fsync") { fsync(file) }
        } catch {
            name.withCString { _ = unlinkat(descriptor, $0, 0) }
            throw error
        }
    }

    /// Removes a file or a link. Does nothing if there is none.
    func remove(_ name: FileName) throws(SystemFailure) {
        do {
            try System.call("unlinkat") { name.withCString { unlinkat(descriptor, $0, 0) } }
        } catch  where error.number == ENOENT {}
    }

    /// Renames a file inside this folder, in place of the one that has the new name.
    func replace(_ name: FileName, by other: FileName) throws(SystemFailure) {
        try System.call("renameat") {
            other.withCString { old in name.withCString { new in renameat(descriptor, old, descriptor, new) } }
        }
    }

    /// Makes the folder's names durable.
    func sync() throws(SystemFailure) {
        do {
            try System.call("fsync") { fsync(descriptor) }
        } catch  where error.number == EINVAL {}  // The file system cannot sync a folder.
    }

    /// Returns the names of the items, sorted by bytes. Names that ``FileName`` refuses do not occur.
    func names() throws(SystemFailure) -> [FileName] {
        let copy = try System.call("openat") { openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard let stream = fdopendir(copy) else {
            let failure = SystemFailure.last("fdopendir")
            close(copy)
            throw failure
        }
        defer { closedir(stream) }
        var names: [FileName] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw .last("readdir") }
                return names.sorted()
            }
            let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
            let start = UnsafeRawPointer(entry).advanced(by: offset)
            let length = strlen(start.assumingMemoryBound(to: CChar.self))
            if let name = FileName(UnsafeRawBufferPointer(start: start, count: length)) { names.append(name) }
        }
    }
}
