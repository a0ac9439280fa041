package import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Looks at files and folders, reads them, and makes what is missing.
package enum FileSystem {
    /// The system's record of a file or folder.
    package struct Status: Sendable, Hashable {
        /// Kinds of file.
        package enum Kind: Sendable, Hashable { case file, folder, other }

        /// Which kind it is.
        package let kind: Kind
        /// Bytes.
        package let size: Int
        /// When its bytes were written last.
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

    /// Looks at a file or folder, or at a link itself unless told to follow it; `nil` where there is none.
    ///
    /// - Throws: ``FileFailure`` where that cannot be told.
    package static func status(of path: String, followingLinks: Bool = true) throws(FileFailure) -> Status? {
        var information = stat()
        let result = followingLinks ? stat(path, &information) : lstat(path, &information)
        guard result == 0 else {
            guard errno == ENOENT else { throw FileFailure(doing: .look, to: path) }
            return nil
        }
        return Status(information)
    }

    /// The bytes of a plain file; `nil` where there is none.
    ///
    /// - Throws: ``FileFailure`` where that cannot be told.
    package static func size(ofFile path: String) throws(FileFailure) -> Int? {
        guard let status = try status(of: path), status.kind == .file else { return nil }
        return status.size
    }

    static func isFolder(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
    }

    /// The paths in a folder, or in the one that a link leads to, in the order of the names; none where it is no folder, or
    /// is gone.
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

    /// The file that a path leads to, itself and its folder without links, as SQLite takes it: a database and its log are
    /// beside each other where the file is, not where a link to it is. The file need not be there, its folder must.
    ///
    /// - Throws: ``FileFailure`` of the folder where that cannot be told; with `ELOOP` for links that lead in a circle.
    package static func resolved(_ path: String) throws(FileFailure) -> String {
        var path = path
        for _ in 0..<100 {  // as many links as SQLite follows
            let file = URL(fileURLWithPath: path)
            let folder = file.deletingLastPathComponent().path
            let found = real(path, naming: folder)
            guard case .failure(let failure) = found, failure.number == ENOENT else { return try found.get() }
            // A new file, or one that a link promises.
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

    /// Where a link leads; `nil` where there is none.
    private static func target(ofLink path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }

    // MARK: Reading

    /// Reads some of a plain file's bytes, fewer where it ends before; `nil` where there is none.
    ///
    /// - Throws: ``FileFailure``.
    package static func read(_ range: Range<Int>, of path: String) throws(FileFailure) -> Data? {
        try opened(path) { descriptor, _ throws(FileFailure) in try read(range, of: descriptor, path) }
    }

    /// Reads a plain file as it was when it was opened: one that is renamed into its place meanwhile is another one. `nil`
    /// where there is none; no bytes where there are more than may be read.
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

    /// Reads some of the bytes of an open plain file, fewer where it ends before.
    ///
    /// - Throws: ``FileFailure``.
    package static func read(
        _ range: Range<Int>, of descriptor: CInt, _ path: String
    ) throws(FileFailure) -> Data {
        var data = Data(count: range.count)
        var filled = 0
        while filled < range.count {
            let count = data.withUnsafeMutableBytes { buffer in
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                return pread(descriptor, rest.baseAddress, rest.count, off_t(range.lowerBound + filled))
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileFailure(doing: .read, to: path) }
            if count == 0 { break }
            filled += count
        }
        return data.prefix(filled)
    }

    // MARK: Writing

    /// Makes a file for writing that only its owner may read, and that must not be there.
    ///
    /// - Throws: ``FileFailure``; with `EEXIST` where it is there.
    package static func create(_ path: String) throws(FileFailure) -> CInt {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFailure(doing: .make, to: path) }
        return descriptor
    }

    /// Makes an empty file that only its owner may read; one that is there stays as it is.
    ///
    /// - Throws: ``FileFailure``.
    package static func makeFile(_ path: String) throws(FileFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFailure(doing: .make, to: path) }
        close(descriptor)
    }

    /// Writes all of some bytes behind those that were written.
    ///
    /// - Throws: ``FileFailure``; some of them may be written then.
    package static func write(
        _ bytes: some ContiguousBytes, to descriptor: CInt, _ path: String
    ) throws(FileFailure) {
        let written = bytes.withUnsafeBytes { bytes in
            Result { () throws(FileFailure) in
                var rest = bytes[...]
                while !rest.isEmpty {
                    let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
                    if count < 0, errno == EINTR { continue }
                    guard count >= 0 else { throw FileFailure(doing: .write, to: path) }
                    rest = rest.dropFirst(count)
                }
            }
        }
        try written.get()
    }

    /// Removes a file, if it is there.
    ///
    /// - Throws: ``FileFailure``.
    package static func remove(_ path: String) throws(FileFailure) {
        guard unlink(path) == 0 || errno == ENOENT else { throw FileFailure(doing: .remove, to: path) }
    }

    /// Dates a file.
    ///
    /// - Parameter date: When it was written last; `nil` is now.
    /// - Returns: Whether it could be dated: it may be gone.
    @discardableResult package static func setModified(_ path: String, to date: Date?) -> Bool {
        guard let date else { return utimes(path, nil) == 0 }
        let seconds = max(-1e10, min(1e10, date.timeIntervalSince1970))
        let whole = seconds.rounded(.down)
        let microseconds = suseconds_t(min(999_999, (seconds - whole) * 1_000_000))
        return utimes(path, [timeval](repeating: timeval(tv_sec: time_t(whole), tv_usec: microseconds), count: 2)) == 0
    }
}

/// The method hides the function of the system.
private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
