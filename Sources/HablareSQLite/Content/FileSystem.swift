import Foundation
import Hablare
import HablareFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// Durable file operations: what returns is on the disk, not on its way there.
enum FileSystem {
    /// Creates a folder and the missing ones above it.
    static func createDirectory(_ directory: URL, _ calls: DurableCalls = .system) throws {
        do {
            try NewFiles.makeFolders(directory.path)
        } catch let failure as FileFailure {
            throw AIServiceError(errno: failure.number, creatingFolder: failure.path)
        }
        try sync(directory.deletingLastPathComponent(), required: false, calls)
    }

    /// The bytes of a plain file; `nil` where there is none.
    static func size(ofFile file: URL) -> Int? {
        var information = stat()
        guard stat(file.path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(information.st_size)
    }

    /// The bytes of a plain file that is to be read; `nil` where there is none.
    static func sizeToRead(ofFile file: URL) throws -> Int? {
        var information = stat()
        guard stat(file.path, &information) == 0 else {
            guard errno != ENOENT else { return nil }
            throw AIServiceError.unreadable(file, cause: String(cString: strerror(errno)))
        }
        return information.st_mode & S_IFMT == S_IFREG ? Int(information.st_size) : nil
    }

    /// What a folder, or the one that a link leads to, has, in the order of the names; nothing where it is no folder, or
    /// is gone.
    static func contents(of folder: URL) throws -> [URL] {
        guard try status(of: folder, followingLinks: true)?.isFolder == true else { return [] }
        let isLink = try status(of: folder)?.isFolder == false
        do {
            // A link is not followed by whoever lists it.
            let target = isLink ? folder.resolvingSymlinksInPath() : folder
            return try FileManager.default.contentsOfDirectory(at: target, includingPropertiesForKeys: nil)
                .sorted { $0.path < $1.path }
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile {
            return []
        } catch {
            throw AIServiceError.unreadable(folder, cause: "\(error)")
        }
    }

    /// What the system says of a file.
    struct Status {
        let isPlainFile: Bool
        let isFolder: Bool
        let size: Int
        let modified: Date

        fileprivate init(_ information: stat) {
            isPlainFile = information.st_mode & S_IFMT == S_IFREG
            isFolder = information.st_mode & S_IFMT == S_IFDIR
            size = Int(information.st_size)
            #if canImport(Darwin)
            let time = information.st_mtimespec
            #else
            let time = information.st_mtim
            #endif
            modified = Date(timeIntervalSince1970: TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1e9)
        }
    }

    /// What the system says of a file, and of a link itself unless told to follow it; `nil` where there is none.
    static func status(of file: URL, followingLinks: Bool = false) throws -> Status? {
        var information = stat()
        let code = followingLinks ? stat(file.path, &information) : lstat(file.path, &information)
        guard code == 0 else {
            guard errno != ENOENT else { return nil }
            throw AIServiceError.unreadable(file, cause: String(cString: strerror(errno)))
        }
        return Status(information)
    }

    /// Says that a file is in use now; `false` when there is none any more.
    static func touch(_ file: URL) -> Bool {
        utimes(file.path, nil) == 0
    }

    /// Creates an empty file that only its owner may read, unless there is one.
    static func createPrivateFile(_ file: URL) throws {
        let descriptor = open(file.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw AIServiceError(errno: errno, doing: "create", path: file.path) }
        close(descriptor)
    }

    /// Creates a file that only its owner may read and that is not there, for writing.
    static func create(_ file: URL) throws -> Int32 {
        let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw AIServiceError(errno: errno, doing: "create", path: file.path) }
        return descriptor
    }

    /// Reads some of a file's bytes; `nil` where there is no file.
    static func read(_ range: Range<Int>, of file: URL) throws -> Data? {
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno != ENOENT else { return nil }
            throw AIServiceError.unreadable(file, cause: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        return try read(range, of: descriptor, file)
    }

    /// Reads some of the bytes of an open file, fewer where it ends before.
    static func read(_ range: Range<Int>, of descriptor: Int32, _ file: URL) throws -> Data {
        var data = Data(count: range.count)
        let filled = try data.withUnsafeMutableBytes { buffer in
            var filled = 0
            while filled < buffer.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                let count = pread(descriptor, rest.baseAddress, rest.count, off_t(range.lowerBound + filled))
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else {
                    throw AIServiceError.unreadable(file, cause: String(cString: strerror(errno)))
                }
                if count == 0 { break }
                filled += count
            }
            return filled
        }
        return data.prefix(filled)
    }

    /// Writes a file under a temporary name, syncs it, gives it its name, and syncs the folder.
    static func write(_ data: Data, to file: URL, temporaryName: String, _ calls: DurableCalls) throws {
        let folder = file.deletingLastPathComponent()
        let temporary = folder.appendingPathComponent(temporaryName)
        let descriptor = try create(temporary)
        do {
            defer { close(descriptor) }
            try write(data, to: descriptor, temporary.path)
            try calls.sync(descriptor, temporary.path)
            try calls.rename(temporary.path, file.path)
        } catch {
            unlink(temporary.path)
            throw error
        }
        try sync(folder, required: true, calls)
    }

    static func write(_ data: Data, to descriptor: Int32, _ path: String) throws {
        try data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
                if count < 0 {
                    if errno == EINTR { continue }
                    throw AIServiceError(errno: errno, doing: "write", path: path)
                }
                rest = rest.dropFirst(count)
            }
        }
    }

    private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Darwin)
        Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
        Musl.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }

    /// Syncs a folder, so that the names in it are durable.
    static func sync(_ folder: URL, required: Bool, _ calls: DurableCalls) throws {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if required { throw AIServiceError(errno: errno, doing: "open", path: folder.path) }
            return
        }
        defer { close(descriptor) }
        do {
            try calls.sync(descriptor, folder.path)
        } catch {
            if required { throw error }
        }
    }
}
