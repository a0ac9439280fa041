import Foundation

/// Code that a document may show. It is part of a test source, so it is compiled, and stands between a line
/// `// snippet: name` and a line `// end snippet`.
struct Snippet: Sendable {
    let name: String
    /// The path of the source file.
    let path: String
    let code: String
    /// The modules that the file imports.
    let imports: Set<String>

    /// Whether a block shows this snippet. The block may begin with some of the file's imports.
    func isShown(by block: Document.Block) -> Bool {
        let lines = block.code.split(separator: "\n", omittingEmptySubsequences: false)
        let head = lines.prefix { $0.hasPrefix("import ") || $0.isEmpty }
        guard head.allSatisfy({ $0.isEmpty || imports.contains(String($0)) }) else { return false }
        return tidied(Array(lines.dropFirst(head.count))) == code
    }

    /// Returns all snippets of the tests' sources. A file without any is one snippet as a whole, including its imports.
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
