import Foundation
import Testing

/// A document of this repository and the Swift code it shows.
struct Document: Sendable, CustomTestStringConvertible {
    /// A fenced code block marked `swift`.
    struct Block: Sendable {
        /// The line of the document on which the block begins.
        let line: Int
        let code: String
    }

    /// The path from the root of the repository.
    let path: String
    let text: String

    var testDescription: String { path }

    /// The blocks of Swift code, in order.
    var blocks: [Block] {
        var blocks: [Block] = []
        var open: (line: Int, lines: [Substring])?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let fence = line.trimmingPrefix(while: \.isWhitespace)
            if let block = open {
                if fence.hasPrefix("```") {
                    blocks.append(Block(line: block.line, code: tidied(block.lines)))
                    open = nil
                } else {
                    open?.lines.append(line)
                }
            } else if fence.hasPrefix("```swift") {
                open = (index + 2, [])
            }
        }
        return blocks
    }

    /// Returns the code spans of the section below a heading, up to the next heading.
    func codeSpans(below heading: String) -> [String] {
        let section = text.components(separatedBy: "\n## ").dropFirst().first { $0.hasPrefix(heading) } ?? ""
        return section.components(separatedBy: "`").enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
    }

    /// README, CONTRIBUTING, `docs/` and the articles of all documentation catalogs.
    static func all() throws -> [Document] {
        let markdown = try Repository.files(
            below: ["README.md", "CONTRIBUTING.md", "docs", "Sources"], endingIn: ".md")
        return try markdown.map { Document(path: $0, text: try Repository.text(of: $0)) }
    }
}

/// Returns the lines without their common indentation and without empty lines at the ends.
func tidied(_ lines: [Substring]) -> String {
    let filled = lines.filter { !$0.allSatisfy(\.isWhitespace) }
    let indentation = filled.map { $0.prefix(while: \.isWhitespace).count }.min() ?? 0
    return lines.map { $0.dropFirst(min(indentation, $0.prefix(while: \.isWhitespace).count)) }
        .joined(separator: "\n").trimmingCharacters(in: .newlines)
}
