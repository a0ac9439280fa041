import Foundation
import Testing

/// Writes bytes to a file, passes its path, and removes it.
func withTemporaryFile<Result>(
    _ bytes: some Sequence<UInt8>, name: String = "text.txt", _ body: (String) throws -> Result
) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "lectern-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { Issue.recordingFailure { try FileManager.default.removeItem(at: folder) } }
    let file = folder.appending(path: name)
    try Data(bytes).write(to: file)
    return try body(file.path)
}

extension Issue {
    /// Records an error of a clean-up.
    static func recordingFailure(_ body: () throws -> Void) {
        do { try body() } catch { Issue.record(error) }
    }
}
