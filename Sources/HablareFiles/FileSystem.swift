package import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Functions that examine, read and write files and folders.
package enum FileSystem {
    /// The properties of a file or folder, as the system reports them.
    package struct Status: Sendable, Hashable {
        /// The kind of an item in the file system.
        package enum Kind: Sendable, Hashable { case file, folder, other }

        /// The kind of the item.
        package let kind: Kind
        /// The size in bytes.
        package let size: Int
        /// The date of the last write.
        package let modified: Date

        fileprivate init(_ information: stat) {
            kind =
                switch information.st_mode & S_IFMT {
                case S_IFREG: .file
                case S_IFDIR: .folder
                default: .other
                }
            size = Int(information.st_size)
            #if canImport(Darwin)
            let time = information.st_mtimespec
            #else
            let time = information.st_mtim
            #endif
            modified = Date(timeIntervalSince1970: TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1e9)
        }
    }

    // MARK: Looking

    /// Returns the status of a file or folder, or `nil` if there is none. If the path is a link, returns the status of
    /// its target, unless `followingLinks` is `false`.
    ///
    /// - Throws: ``FileFailure`` if the status cannot be determined.
    package static func status(of path: String, followingLinks: Bool = true) throws(FileFailure) -> Status? {
        var information = stat()
        let result = followingLinks ? stat(path, &information) : lstat(path, &information)
        guard result == 0 else {
            guard errno == ENOENT else { throw FileFailure(doing: .look, to: path) }
            return nil
        }
        return Status(information)
    }

    /// Returns the size of a plain file in bytes, or `nil` if there is no such file.
    ///
    /// - Throws: ``FileFailure`` if the size cannot be determined.
    package static func size(ofFile path: String) throws(FileFailure) -> Int? {
        guard let status = try status(of: path), status.kind == .file else { return nil }
        return status.size
    }

    package static func isFolder(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns the paths of the items in a folder, in the order of their names. The path may be a link to a folder.
    /// Returns an empty list if the path is not a folder or does not exist.
    ///
    /// - Throws: ``FileFailure``.
    package static func contents(of folder: String) throws(FileFailure) -> [String] {
        let stream = opendir(folder)
        guard let stream else {
            if errno == ENOENT || errno == ENOTDIR { return [] }
            throw FileFailure(doing: .list, to: folder)
        }
        defer { closedir(stream) }
        var paths: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { paths.append(folder + "/" + name) }
        }
        guard errno == 0 else { throw FileFailure(doing: .list, to: folder) }
        return paths.sorted()
    }

    /// Returns the path of a file with all links resolved, as SQLite does it. Links in the path of the folder are also
    /// resolved. This matters because a database and its log are in the folder of the real file, not in the folder of a
    /// link to it. The folder must exist. The file need not exist.
    ///
    /// - Throws: ``FileFailure`` if the path of the folder cannot be resolved. The error number is `ELOOP` if links
    ///   form a circle.
    package static func resolved(_ path: String) throws(FileFailure) -> String {
        var path = path
        for _ in 0..<100 {  // as many links as SQLite follows
            let file = URL(fileURLWithPath: path)
            let folder = file.deletingLastPathComponent().path
            let found = real(path, naming: folder)
            guard case .failure(let failure) = found, failure.number == ENOENT else { return try found.get() }
            // The file does not exist, or is a link to a file that does not exist.
            let above = try real(folder, naming: folder).get()
            path = above + (above.hasSuffix("/") ? "" : "/") + file.lastPathComponent
            guard let target = target(ofLink: path) else { return path }
            path = target.hasPrefix("/") ? target : folder + "/" + target
        }
        throw FileFailure(ELOOP, doing: .resolve, to: path)
    }

    private static func real(_ path: String, naming folder: String) -> Result<String, FileFailure> {
        guard let whole = realpath(path, nil) else { return .failure(FileFailure(doing: .resolve, to: folder)) }
        defer { free(whole) }
        return .success(String(cString: whole))
    }

    /// Returns the target of a link, or `nil` if there is no link.
    private static func target(ofLink path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }

    // MARK: Reading

    /// Reads a range of a plain file's bytes. Returns fewer bytes if the file ends before the end of the range. Returns
    /// `nil` if there is no such file.
    ///
    /// - Throws: ``FileFailure``.
    package static func read(_ range: Range<Int>, of path: String) throws(FileFailure) -> Data? {
        try opened(path) { descriptor, _ throws(FileFailure) in try read(range, of: descriptor, path) }
    }

    /// Reads a plain file completely. If another file is renamed to the path during the read, the result is still the
    /// content of the first file. Returns `nil` if there is no such file. Returns empty data if the file is larger than
    /// the limit.
    ///
    /// - Throws: ``FileFailure``.
    package static func read(_ path: String, atMost limit: Int) throws(FileFailure) -> Data? {
        try opened(path) { descriptor, size throws(FileFailure) in
            size <= limit ? try read(0..<size, of: descriptor, path) : Data()
        }
    }

    private static func opened(
        _ path: String, _ body: (_ descriptor: CInt, _ size: Int) throws(FileFailure) -> Data
    ) throws(FileFailure) -> Data? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw FileFailure(doing: .open, to: path) }
            return nil
        }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw FileFailure(doing: .look, to: path) }
        guard information.st_mode & S_IFMT == S_IFREG else { return nil }
        return try body(descriptor, Int(information.st_size))
    }

    /// Reads a range of an open plain file's bytes. Returns fewer bytes if the file ends before the end of the range.
    ///
    /// - Throws: ``FileFailure``.
    package static func read(
        _ range: Range<Int>, of descriptor: CInt, _ path: String
    ) throws(FileFailure) -> Data {
        var data = Data(count: range.count)
        var filled = 0
        while filled < range.count {
            let count = data.withUnsafeMutableBytes { buffer in
                let remainder = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                return pread(descriptor, remainder.baseAddress, remainder.count, off_t(range.lowerBound + filled))
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileFailure(doing: .read, to: path) }
            if count == 0 { break }
            filled += count
        }
        return data.prefix(filled)
    }

    // MARK: Writing

    /// Creates a file and opens it for writing. Only the owner may read it. No file may exist at the path.
    ///
    /// - Throws: ``FileFailure``. The error number is `EEXIST` if there is a file.
    package static func create(_ path: String) throws(FileFailure) -> CInt {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFailure(doing: .make, to: path) }
        return descriptor
    }

    /// Creates an empty file. Only the owner may read it. If the file exists, it stays unchanged.
    ///
    /// - Throws: ``FileFailure``.
    package static func makeFile(_ path: String) throws(FileFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFailure(doing: .make, to: path) }
        close(descriptor)
    }

    /// Writes all bytes at the descriptor's current offset.
    ///
    /// - Throws: ``FileFailure``. Some of the bytes may have been written nevertheless.
    package static func write(
        _ bytes: some ContiguousBytes, to descriptor: CInt, _ path: String
    ) throws(FileFailure) {
        let written = bytes.withUnsafeBytes { bytes in
            Result { () throws(FileFailure) in
                var remainder = bytes[...]
                while !remainder.isEmpty {
                    let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: remainder))
                    if count < 0, errno == EINTR { continue }
                    guard count >= 0 else { throw FileFailure(doing: .write, to: path) }
                    remainder = remainder.dropFirst(count)
                }
            }
        }
        try written.get()
    }

    /// Removes a file if it exists.
    ///
    /// - Throws: ``FileFailure``.
    package static func remove(_ path: String) throws(FileFailure) {
        guard unlink(path) == 0 || errno == ENOENT else { throw FileFailure(doing: .remove, to: path) }
    }

    /// Sets the modification date of a file.
    ///
    /// - Parameter date: The date, or `nil` for the current date.
    /// - Returns: Whether the date was set. `false` if this is not possible, for example because the file no longer
    ///   exists.
    @discardableResult package static func setModified(_ path: String, to date: Date?) -> Bool {
        guard let date else { return utimes(path, nil) == 0 }
        let seconds = max(-1e10, min(1e10, date.timeIntervalSince1970))
        let whole = seconds.rounded(.down)
        let microseconds = suseconds_t(min(999_999, (seconds - whole) * 1_000_000))
        return utimes(path, [timeval](repeating: timeval(tv_sec: time_t(whole), tv_usec: microseconds), count: 2)) == 0
    }
}

/// Calls the system's `write`. In the type itself, the method of the same name hides this function.
private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
