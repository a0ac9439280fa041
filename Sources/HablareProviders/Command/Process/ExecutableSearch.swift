#if os(macOS) || os(Linux)
import Foundation

/// A search for programs like a shell's, except that it never searches the working directory.
enum ExecutableSearch: Sendable, Hashable {
    /// The program's path.
    case found(String)
    /// A file with that name exists but cannot be run.
    case notExecutable(String)
    /// No file with that name exists.
    case missing

    /// Searches for a program.
    ///
    /// - Parameters:
    ///   - name: The program's name, or an absolute path.
    ///   - searchPath: The directories to search, separated by colons. Empty and relative directories are skipped.
    init(_ name: String, in searchPath: String?) {
        guard !name.hasPrefix("/") else {
            self.init(path: name)
            return
        }
        var best = ExecutableSearch.missing
        for directory in (searchPath ?? "").split(separator: ":") where directory.hasPrefix("/") {
            let candidate = ExecutableSearch(path: "\(directory)/\(name)")
            if case .found = candidate {
                self = candidate
                return
            }
            if best == .missing { best = candidate }
        }
        self = best
    }

    private init(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            self = .missing
            return
        }
        let isFile = status.st_mode & S_IFMT == S_IFREG
        self = isFile && access(path, X_OK) == 0 ? .found(path) : .notExecutable(path)
    }

    /// The program's path if the program can be run; otherwise `nil`.
    var path: String? {
        if case .found(let path) = self { path } else { nil }
    }
}
#endif
