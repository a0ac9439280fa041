public import Foundation
public import Hablare
import HablareFiles

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

    /// Keeps a content and answers with its file, whose name is made of its digest and its format. Blocks for the time of a
    /// file write.
    ///
    /// On return the file and its name are on disk, as far as the disk tells the truth: a receipt that is written after it
    /// never points at nothing. Never write to the file: it may be the engine's own by another name.
    ///
    /// - Throws: ``MergeError`` with ``MergeError/Code/fileFailed``, also for content without bytes; the error of reading it.
    public func keep(_ content: ResponseContent) throws -> URL {
        guard let body = content.body else {
            throw MergeError(.fileFailed, "An answer of \(content.type.rawValue) has no bytes to keep in a file.")
        }
        let file = folder.appendingPathComponent(name(of: content, body), isDirectory: false)
        do {
            if try FileSystem.status(of: folder.path) == nil { try DurableCalls.system.makeFolders(folder.path) }
            if FileManager.default.fileExists(atPath: file.path) {
                // Whoever made it may not have come to that yet, or may have failed at it.
                try DurableCalls.system.syncFolder(folder.path)
                return file
            }
            if let original = body.fileURL, try link(original, to: file) { return file }
        } catch {
            throw failure(error)
        }
        let bytes = try body.read()
        do {
            let writing = try ReplacingFile(file.path)
            try writing.write(bytes)
            try writing.commit()
            return file
        } catch {
            throw failure(error)
        }
    }

    /// Whether a second name could be given: not on another volume, nor where the file system has none.
    private func link(_ original: URL, to file: URL) throws -> Bool {
        do {
            try FileManager.default.linkItem(at: original, to: file)
        } catch {
            return false
        }
        try DurableCalls.system.syncFolder(folder.path)
        return true
    }

    private func name(of content: ResponseContent, _ body: Body) -> String {
        let ending: String =
            switch content {
            case .text: "txt"
            case .audio(_, let format): format.rawValue
            case .image(_, let format): format.rawValue
            case .data, .embedding, .structured: "bin"
            }
        // A format may be of a provider's own making.
        let safe = ending.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return "\(body.digest.hexadecimal).\(safe.isEmpty ? "bin" : safe)"
    }

    private func failure(_ error: any Error) -> MergeError {
        MergeError(
            .fileFailed,
            "The folder of merged files cannot be written. Look at its rights and at the room on its disk, and ask for the merge again.",
            cause: (error as? FileFailure).map { "\($0)" } ?? "\((error as NSError).domain) \((error as NSError).code)",
            isRetryable: true)
    }
}
