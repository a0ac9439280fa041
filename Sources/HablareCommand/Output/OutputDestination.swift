import Foundation

/// The target of an output's name, which decides how the output is written. A regular file is replaced completely. Any
/// other target is opened and written into.
enum OutputDestination: Sendable, Hashable {
    /// A regular file, or no file yet. All symbolic links in the name are resolved.
    case file(URL)
    case device(URL)
    /// An open descriptor of this process, such as 1 for `/dev/stdout`.
    case descriptor(Int32, URL)

    private static let maximumLinks = 40

    init(_ url: URL) throws {
        var path = url.absoluteURL.path
        for _ in 0..<Self.maximumLinks {
            let name = URL(filePath: path).lastPathComponent
            guard let folder = Self.realPath(of: URL(filePath: path).deletingLastPathComponent().path) else {
                // The later write reports that the folder is missing.
                self = .file(URL(filePath: path, directoryHint: .notDirectory))
                return
            }
            path = folder == "/" ? "/" + name : folder + "/" + name
            if Self.holdsDescriptors(folder), let number = Int32(name) {
                var status = stat()
                guard fstat(number, &status) == 0 else {
                    throw Self.unfit(url, "is not open here. Redirect it, or choose another output with -o.")
                }
                self = .descriptor(number, url)
                return
            }
            guard let target = Self.linkTarget(of: path) else {
                self = try Self.destination(at: URL(filePath: path, directoryHint: .notDirectory), named: url)
                return
            }
            path = target.hasPrefix("/") ? target : folder + "/" + target
        }
        throw Self.unfit(url, "is a symbolic link that leads to itself. Choose another output with -o.")
    }

    var url: URL {
        switch self {
        case .file(let url), .device(let url), .descriptor(_, let url): url
        }
    }

    var waitsForReader: Bool {
        if case .file = self { false } else { true }
    }

    var isStandardOutput: Bool {
        if case .descriptor(1, _) = self { true } else { false }
    }

    /// Whether a name leads to a character device, such as a terminal or `/dev/full`. A pipe is not a character device.
    static func isCharacterDevice(_ url: URL) -> Bool {
        var status = stat()
        return stat(url.path, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR
    }

    private static func destination(at url: URL, named name: URL) throws -> OutputDestination {
        var status = stat()
        guard stat(url.path, &status) == 0 else { return .file(url) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file(url)
        case S_IFDIR: throw unfit(name, "is a folder. Choose another output with -o.")
        case S_IFSOCK:
            throw unfit(
                name,
                """
                is a socket, which cannot be written to as a file. Choose another output with -o, or pipe the answer \
                with -o /dev/stdout.
                """)
        case S_IFBLK:
            throw unfit(name, "is a disk, and all data on it would be lost. Choose another output with -o.")
        default: return .device(url)
        }
    }

    /// Whether a folder contains this process's descriptors: `/proc/PID/fd`, to which `/dev/fd` and `/proc/self/fd`
    /// lead, or `/dev/fd` if it is itself a folder.
    private static func holdsDescriptors(_ folder: String) -> Bool {
        if folder == "/dev/fd" { return true }
        let parts = folder.split(separator: "/")
        return parts.count >= 3 && parts[0] == "proc" && parts[1] == "\(getpid())" && parts.last == "fd"
    }

    private static func realPath(of path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    private static func linkTarget(of path: String) -> String? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return nil }
        do {
            return try FileManager.default.destinationOfSymbolicLink(atPath: path)
        } catch {
            return nil  // the link was replaced meanwhile; the caller examines what replaced it
        }
    }

    private static func unfit(_ url: URL, _ problem: String) -> CommandFailure {
        CommandFailure(.cannotCreate, "\(url.path) \(problem)")
    }
}
