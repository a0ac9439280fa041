#if os(macOS) || os(Linux)
import Foundation
#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A new directory that only this user may enter, for the files of one run or one process.
struct PrivateDirectory: Sendable, Hashable {
    /// The absolute path.
    let path: String

    /// The path of this user's directory for temporary files, without a trailing slash.
    static var temporary: String {
        let path = FileManager.default.temporaryDirectory.path
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// Creates a directory with a unique name.
    ///
    /// - Throws: `Errno` if the parent is missing, full or read-only.
    init(in parent: String, prefix: String) throws(Errno) {
        var template = Array("\(parent)/\(prefix)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Removes the directory and its content.
    ///
    /// - Returns: Whether the directory was removed. The removal can fail because a program locked a subdirectory. The
    ///   helper process then removes the directory when this process ends.
    func remove() -> Bool {
        do {
            try FileManager.default.removeItem(atPath: path)
            return true
        } catch {
            return !FileManager.default.fileExists(atPath: path)
        }
    }
}
#endif
