import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Looks at places and makes what is missing, for its owner's eyes only.
package enum NewFiles {
    /// What is at a place.
    package enum Kind: Sendable, Hashable {
        /// Nothing.
        case none
        /// A folder, or a link to one.
        case folder
        /// A file of so many bytes, or a link to one.
        case file(size: Int)
    }

    /// What is at a path.
    ///
    /// - Throws: ``FileFailure`` where that cannot be told.
    package static func kind(of path: String) throws -> Kind {
        var information = stat()
        guard stat(path, &information) == 0 else {
            if errno == ENOENT { return .none }
            throw FileFailure(errno, doing: "look at", to: path)
        }
        return information.st_mode & S_IFMT == S_IFDIR ? .folder : .file(size: Int(information.st_size))
    }

    /// The file that a path leads to, itself and its folder without links, as SQLite takes it: a database and its log are
    /// beside each other where the file is, not where a link to it is. The file need not be there, its folder must.
    ///
    /// - Throws: ``FileFailure`` of the folder where that cannot be told; with `ELOOP` for links that lead in a circle.
    package static func resolved(_ path: String) throws -> String {
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
        throw FileFailure(ELOOP, doing: "resolve", to: path)
    }

    private static func real(_ path: String, naming folder: String) -> Result<String, FileFailure> {
        guard let whole = realpath(path, nil) else {
            return .failure(FileFailure(errno, doing: "resolve", to: folder))
        }
        defer { free(whole) }
        return .success(String(cString: whole))
    }

    /// What a link says; `nil` where there is none.
    private static func target(ofLink path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }

    /// Makes a folder and the missing ones above it. One that is there stays as it is.
    ///
    /// - Throws: ``FileFailure``; with `ENOTDIR` where a file is in its place.
    package static func makeFolders(_ path: String) throws {
        let above = URL(fileURLWithPath: path).deletingLastPathComponent().path
        for isSecondTry in [false, true] {
            if mkdir(path, 0o700) == 0 { return }
            let number = errno
            // A folder that is there is said to be so in other words where it could not be made.
            if isFolder(path) { return }
            switch number {
            case EEXIST: throw FileFailure(ENOTDIR, doing: "make", to: path)
            case ENOENT where !isSecondTry && above != path: try makeFolders(above)
            default: throw FileFailure(number, doing: "make", to: path)
            }
        }
    }

    /// Makes an empty file; one that is there stays as it is.
    ///
    /// - Throws: ``FileFailure``.
    package static func makeFile(_ path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 || errno == EEXIST else { throw FileFailure(errno, doing: "make", to: path) }
        if descriptor >= 0 { close(descriptor) }
    }

    private static func isFolder(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
    }
}
