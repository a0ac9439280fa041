import Foundation
import Testing

/// Removes a folder with all its files. Files that vanish meanwhile, such as those of a database that is being closed, are
/// no failure.
func removeFolder(_ folder: URL) {
    for _ in 1...50 {
        do {
            return try FileManager.default.removeItem(at: folder)
        } catch CocoaError.fileNoSuchFile {
            if !FileManager.default.fileExists(atPath: folder.path) { return }
        } catch {
            Issue.record(error)
            return
        }
    }
    Issue.record("The folder \(folder.path) cannot be removed: its files keep vanishing.")
}
