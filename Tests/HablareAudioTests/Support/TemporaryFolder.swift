import Foundation

/// A folder of its own for a test, removed when it is released.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "hablare-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // A folder that stays in the temporary directory harms nobody.
        do { try FileManager.default.removeItem(at: url) } catch {}
    }

    func file(_ name: String) -> URL {
        url.appending(path: name)
    }

    /// The names of everything in it, hidden files included.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
    }
}
