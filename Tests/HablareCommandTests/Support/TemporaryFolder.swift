import Foundation

/// A folder of its own for a test, with a space in its name, removed when it is released.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "hablare command \(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // A folder that stays in the temporary directory harms nobody.
        do { try FileManager.default.removeItem(at: url) } catch {}
    }

    /// The names of everything in it, hidden files included.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
    }
}
