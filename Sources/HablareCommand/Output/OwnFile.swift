import Foundation
import HablareFiles

/// A file of the user, such as the settings. It is replaced completely, keeps its permissions and a link that leads to
/// it, and is on disk when a call returns.
enum OwnFile {
    static func makeFolder(of file: URL) throws {
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure(
                .cannotCreate,
                "The folder \(file.deletingLastPathComponent().path) cannot be created: \(error.localizedDescription)")
        }
    }

    /// Changes a file. During the change, no other process changes it.
    ///
    /// - Parameter body: A closure that reads the file and returns its new content.
    static func change(_ file: URL, _ body: () throws -> String) throws {
        try makeFolder(of: file)
        do {
            try FileLock.whileHeld(on: file.deletingLastPathComponent().path, waiting: patience) {
                try replace(file, with: try body())
            }
        } catch let failure as FileFailure {
            throw CommandFailure(
                .cannotCreate, "\(file.path) cannot be written: \(failure.reason). Nothing was changed.")
        } catch is FileLock.Busy {
            throw CommandFailure(.temporary, "Another process changes \(file.path). Try again.")
        }
    }

    private static let patience = 5.0

    private static func replace(_ file: URL, with text: String) throws {
        let path = try FileSystem.resolved(file.path)
        var old = stat()
        let isThere = stat(path, &old) == 0
        let new = try ReplacingFile(path)
        try new.write(Data(text.utf8))
        try new.commit()
        if isThere { chmod(path, old.st_mode & 0o7777) }
    }
}
