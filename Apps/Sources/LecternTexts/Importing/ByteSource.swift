import Foundation

/// Reads a file in pieces.
enum ByteSource {
    /// The size of a piece, in bytes.
    static let pieceSize = 256 << 10

    /// Returns a closure that delivers the pieces of a file, then `nil`.
    ///
    /// - Throws: ``TextImportError`` with code `unreadable`.
    static func file(_ url: URL) throws -> () throws -> [UInt8]? {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), !isFolder.boolValue else {
            throw TextImportError(
                .unreadable, "There is no file '\(url.lastPathComponent)'. Check the path.", cause: url.path)
        }
        let handle: FileHandle
        do {
            handle = try FileHandle(forReadingFrom: url)
        } catch {
            throw unreadable(url, error)
        }
        return {
            try Task.checkCancellation()
            do {
                guard let data = try handle.read(upToCount: pieceSize), !data.isEmpty else { return nil }
                return [UInt8](data)
            } catch {
                throw unreadable(url, error)
            }
        }
    }

    private static func unreadable(_ url: URL, _ error: any Error) -> TextImportError {
        TextImportError(
            .unreadable, "The file '\(url.lastPathComponent)' cannot be read. Check its permissions.",
            cause: String(describing: error))
    }
}
