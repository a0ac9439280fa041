import Foundation
import HablareProviders

/// The room on a disk.
enum DiskSpace {
    /// With less than so many free bytes a disk counts as full: SQLite's own files and an answer of usual length need them.
    static let least: Int64 = 8 << 20

    /// How many bytes may still be written below a folder, which need not be there; `nil` where nobody says it.
    static func free(at folder: URL) -> Int64? {
        var path = folder.absoluteURL.standardizedFileURL
        while path.path != "/", !path.path.isEmpty, !FileManager.default.fileExists(atPath: path.path) {
            path.deleteLastPathComponent()
        }
        return FileSystemRoom.of(path.path).map { Int64(clamping: $0) }
    }
}
