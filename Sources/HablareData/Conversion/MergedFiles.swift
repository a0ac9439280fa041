public import Foundation
public import Hablare
import HablareFiles

/// The app's own folder for content that is merged as a file.
///
/// The engine deletes its own content files when it evicts their responses. Therefore the app's data must not refer to
/// these files. A file in this folder is a hard link to the engine's file, and takes no additional space. If a link is
/// impossible, the file is a copy. If the engine stores the content in its database, the content is written to a new
/// file.
///
/// A file's name is derived from its content. So an answer that is merged twice has only one file. Only the app deletes
/// the files in this folder.
public struct MergedFiles: Sendable, Hashable {
    /// The folder. It is created with the first file.
    public let folder: URL

    /// Creates a folder for merged files. Choose a folder next to the app's database, on the same volume as the
    /// engine's store.
    public init(folder: URL) {
        self.folder = folder
    }

    /// Stores content as a file in the folder. Returns the file's URL. The file's name consists of the content's digest
    /// and format. Blocks the thread while the file is written.
    ///
    /// When the method returns, the file and its name are on disk, if the disk reports correctly. So a receipt that is
    /// written later never refers to a missing file. Do not change the file, because it may be a hard link to the
    /// engine's own file.
    ///
    /// - Throws: ``MergeError`` with ``MergeError/Code/fileFailed`` if the file cannot be stored or the content has no
    ///   bytes. The error of reading the content.
    public func keep(_ content: ResponseContent) throws -> URL {
        guard let body = content.body else {
            throw MergeError(
                .fileFailed,
                "An answer of \(content.type.rawValue) has no bytes, so it cannot be stored as a file. Merge it into another property."
            )
        }
        let file = folder.appendingPathComponent(name(of: content, body), isDirectory: false)
        do {
            if try FileSystem.status(of: folder.path) == nil { try DurableCalls.system.makeFolders(folder.path) }
            if FileManager.default.fileExists(atPath: file.path) {
                // The process that created the file may have failed before its own sync, or not reached it.
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

    /// Links the file to the original, and returns whether this was possible. It is impossible across volumes, and on
    /// file systems without links.
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
        // A provider may define its own formats.
        let safe = ending.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return "\(body.digest.hexadecimal).\(safe.isEmpty ? "bin" : safe)"
    }

    private func failure(_ error: any Error) -> MergeError {
        MergeError(
            .fileFailed,
            "The folder of merged files cannot be written. Check its permissions and the free space on its disk, then merge again.",
            cause: (error as? FileFailure).map { "\($0)" } ?? "\((error as NSError).domain) \((error as NSError).code)",
            isRetryable: true)
    }
}
