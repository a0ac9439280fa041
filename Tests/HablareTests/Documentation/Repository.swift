import Foundation

/// The folder that all of this is in.
enum Repository {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// A file by its path from there.
    static func file(_ path: String) -> URL { root.appendingPathComponent(path) }
}
