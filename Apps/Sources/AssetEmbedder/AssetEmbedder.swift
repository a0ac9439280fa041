import Foundation

/// Writes the files of a directory as Swift source. Text becomes a string literal; other bytes become Base64.
///
/// Hidden files and tests (`*.test.js`) are left out.
@main
struct AssetEmbedder {
    static func main() throws {
        guard CommandLine.arguments.count == 3 else {
            throw UsageError(description: "Usage: AssetEmbedder <assets directory> <output file>")
        }
        let source = try source(below: CommandLine.arguments[1])
        try Data(source.utf8).write(to: URL(filePath: CommandLine.arguments[2]), options: .atomic)
    }

    private static func source(below directory: String) throws -> String {
        var lines = [
            "// Generated from the Assets directory of this target.",
            "enum EmbeddedFiles {",
            "    static let all: [(path: String, contents: String, isBase64: Bool)] = [",
        ]
        for path in try FileManager.default.subpathsOfDirectory(atPath: directory).sorted() {
            let url = URL(filePath: directory).appending(path: path)
            let isHidden = path.split(separator: "/").contains { $0.hasPrefix(".") }
            guard !isHidden, !path.hasSuffix(".test.js"),
                try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
            else { continue }
            let data = try Data(contentsOf: url)
            let text = String(data: data, encoding: .utf8)
            let literal = (text ?? data.base64EncodedString()).debugDescription
            lines.append("        (\(path.debugDescription), \(literal), \(text == nil)),")
        }
        return (lines + ["    ]", "}", ""]).joined(separator: "\n")
    }
}

/// The arguments are wrong.
struct UsageError: Error, CustomStringConvertible {
    let description: String
}
