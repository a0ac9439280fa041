#if os(macOS) || os(Linux)
import Foundation

/// Finds programs as a shell would, except that the working directory is never searched.
enum ExecutableSearch: Sendable, Hashable {
    /// The program's path.
    case found(String)
    /// There is a file of that name, and it cannot be run.
    case notExecutable(String)
    /// There is nothing of that name.
    case missing

    /// Looks for a program.
    ///
    /// - Parameters:
    ///   - name: A name, or an absolute path.
    ///   - searchPath: The directories to search, separated by colons. Empty and relative ones are skipped.
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

    /// The program's path, when it can be run.
    var path: String? {
        if case .found(let path) = self { path } else { nil }
    }
}
#endif
