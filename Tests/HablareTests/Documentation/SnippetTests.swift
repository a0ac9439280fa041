import Foundation
import Testing

/// The code in documents is compiled: it equals a part of these tests' sources, most of which also runs.
@Suite struct SnippetTests {
    @Test("Every Swift code block in README and articles is compiled in these tests", arguments: try Document.all())
    func blocksAreCompiled(document: Document) throws {
        let snippets = try Snippet.all()
        for block in document.blocks where !snippets.contains(where: { isShown($0, by: block) }) {
            Issue.record(
                """
                \(document.path), line \(block.line): this Swift code is not compiled by any test. Write it into a file \
                in Tests/HablareTests/Documentation/Snippets, between a line `// snippet: NAME` and a line \
                `// end snippet`, and keep the two equal. \(nearest(to: block, in: snippets))
                """)
        }
    }

    @Test("Every snippet is shown in a document")
    func snippetsAreShown() throws {
        let blocks = try Document.all().flatMap(\.blocks)
        for snippet in try Snippet.all() where !blocks.contains(where: { isShown(snippet, by: $0) }) {
            Issue.record(
                "\(snippet.path): no document shows snippet \(snippet.name) as it stands there. Show it, or remove it.")
        }
    }

    @Test("README and articles contain code blocks")
    func somethingIsChecked() throws {
        let documents = try Document.all()
        #expect(documents.contains { $0.path == "README.md" && !$0.blocks.isEmpty })
        #expect(documents.contains { $0.path.contains(".docc/") && !$0.blocks.isEmpty })
    }

    private func isShown(_ snippet: Snippet, by block: Document.Block) -> Bool {
        snippet.isShown(by: block) || snippet.code == block.code
    }

    /// Describes the first difference to the most similar snippet.
    private func nearest(to block: Document.Block, in snippets: [Snippet]) -> String {
        let lines = block.code.split(separator: "\n").filter { !$0.hasPrefix("import ") }
        func common(_ snippet: Snippet) -> Int { lines.count { snippet.code.contains($0) } }
        guard let snippet = snippets.max(by: { common($0) < common($1) }), common(snippet) > 0 else { return "" }
        let other = snippet.code.split(separator: "\n").filter { !$0.hasPrefix("import ") }
        let index = zip(lines, other).prefix { $0 == $1 }.count
        let (shown, compiled) = (index < lines.count ? lines[index] : "", index < other.count ? other[index] : "")
        return "Most like it is snippet \(snippet.name); the first lines that differ:\n\(shown)\n\(compiled)"
    }
}
