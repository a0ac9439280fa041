import Foundation

/// The source files that this test was built from.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static func file(_ path: String) -> URL { root.appendingPathComponent(path) }

    static func text(of path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// Returns the paths of the files below some folders, or of individual files, in order.
    static func files(below places: [String], endingIn suffix: String) throws -> [String] {
        try places.flatMap { place -> [String] in
            if place.hasSuffix(suffix) { return [place] }
            return try FileManager.default.subpathsOfDirectory(atPath: root.appendingPathComponent(place).path)
                .filter { $0.hasSuffix(suffix) }.map { "\(place)/\($0)" }
        }.sorted()
    }
}
