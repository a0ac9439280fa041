public import Foundation
public import Hablare

/// The app's own folder for content that is merged as a file.
///
/// The engine's content files go when their responses are pruned, so a `URL` in the app's data must not point at one. A
/// file here is a second name of the engine's (a hard link, which costs no space) or, where that cannot be, a copy; content
/// that the engine keeps in its database is written. Files are named after their content, so one answer that is merged
/// twice is one file. Nobody but the app removes them.
public struct MergedFiles: Sendable, Hashable {
    /// The folder; made when the first file is kept.
    public let folder: URL

    /// Keeps files in a folder, best beside the app's database and on the same volume as the engine's store.
    public init(folder: URL) {
        self.folder = folder
    }

    /// Keeps a content and answers with its file. Blocks for the time of a file write.
    ///
    /// The file is whole or not there: it is written to a temporary name, synced, and renamed.
    ///
    /// - Throws: ``MergeError`` with ``MergeError/Code/fileFailed``; the error of reading the content.
    public func keep(_ content: ResponseContent, as name: String) throws -> URL {
        guard let body = content.body else {
            throw MergeError(.fileFailed, "An answer of \(content.type.rawValue) has no bytes to keep in a file.")
        }
        let file = folder.appendingPathComponent(name, isDirectory: false)
        let manager = FileManager.default
        do {
            try manager.createDirectory(at: folder, withIntermediateDirectories: true)
            if manager.fileExists(atPath: file.path) { return file }
            if let original = body.fileURL {
                do {
                    try manager.linkItem(at: original, to: file)
                    return file
                } catch {
                    // Another volume, a file system without links, or another merge was first: written below.
                }
            }
        } catch {
            throw failure(error)
        }
        let bytes = try body.read()
        do {
            // Atomic is a temporary name, a sync and a rename.
            try bytes.write(to: file, options: .atomic)
            return file
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: any Error) -> MergeError {
        MergeError(
            .fileFailed,
            "The folder of merged files cannot be written. Look at its rights and at the room on its disk, and ask for the merge again.",
            cause: "\((error as NSError).domain) \((error as NSError).code)")
    }
}
