#if os(macOS) || os(Linux)
import Foundation
#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A new directory that only this user may enter, for the files of one run or one process.
struct PrivateDirectory: Sendable, Hashable {
    /// Its absolute path.
    let path: String

    /// Where this user's temporary files go, without a slash at the end.
    static var temporary: String {
        let path = FileManager.default.temporaryDirectory.path
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// Makes a directory with a name of its own.
    ///
    /// - Throws: `Errno`: the parent is missing, full or read-only.
    init(in parent: String, prefix: String) throws(Errno) {
        var template = Array("\(parent)/\(prefix)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Removes the directory with all it holds.
    ///
    /// - Returns: Whether it is gone. When it is not (a program may have locked a directory of its own), the warden
    ///   tries once more when this process ends.
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
