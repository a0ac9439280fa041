import Foundation

/// Code that a document may show: it stands in a file of these tests, so it is compiled, between a line
/// `// snippet: name` and a line `// end snippet`.
struct Snippet: Sendable {
    let name: String
    /// The file it stands in.
    let path: String
    let code: String
    /// What the file imports.
    let imports: Set<String>

    /// Whether a block shows this. The block may begin with some of the file's imports.
    func isShown(by block: Document.Block) -> Bool {
        let lines = block.code.split(separator: "\n", omittingEmptySubsequences: false)
        let head = lines.prefix { $0.hasPrefix("import ") || $0.isEmpty }
        guard head.allSatisfy({ $0.isEmpty || imports.contains(String($0)) }) else { return false }
        return tidied(Array(lines.dropFirst(head.count))) == code
    }

    /// All snippets of the test's sources; and each file without any as a whole, imports and all.
    static func all() throws -> [Snippet] {
        let sources = try Repository.files(below: ["Tests"], endingIn: ".swift")
        return try sources.filter { $0.contains("/Documentation/Snippets/") }.flatMap { path in
            let lines = try Repository.text(of: path).split(separator: "\n", omittingEmptySubsequences: false)
            let imports = Set(lines.filter { $0.hasPrefix("import ") }.map { String($0) })
            var snippets: [Snippet] = []
            var open: (name: String, lines: [Substring])?
            for line in lines {
                let text = line.trimmingCharacters(in: .whitespaces)
                if text.hasPrefix("// snippet: ") {
                    open = (String(text.dropFirst("// snippet: ".count)), [])
                } else if text == "// end snippet", let snippet = open {
                    snippets.append(
                        Snippet(name: snippet.name, path: path, code: tidied(snippet.lines), imports: imports))
                    open = nil
                } else {
                    open?.lines.append(line)
                }
            }
            return snippets.isEmpty ? [Snippet(name: path, path: path, code: tidied(lines), imports: [])] : snippets
        }
    }
}
