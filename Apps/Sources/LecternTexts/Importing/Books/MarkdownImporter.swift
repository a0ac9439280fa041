import CMark

/// Reads a book in Markdown (CommonMark). Raw HTML is dropped, and images are replaced by their descriptions.
///
/// The chapters begin at headings: of level 1, or of level 2 if at most one heading of level 1 is there, which is the
/// title then. A file of more than 16 MB is refused.
public struct MarkdownImporter: TextImporting {
    private let source: BookSource
    private let limit: Int

    /// Creates an importer. `limit` is the largest number of bytes.
    public init(_ source: BookSource, limit: Int = 16 << 20) {
        self.source = source
        self.limit = limit
    }

    /// Reads the text.
    public func read(_ receive: (TextPart) throws -> Void) throws {
        let (decoded, warning) = TextDecoding.text(of: try FileSource.bytes(source.path, limit: limit))
        let (text, fields) = FrontMatter.split(decoded)
        guard let document = MarkdownDocument(text) else {
            throw TextImportError(.damaged, "\(source.path) cannot be read as Markdown.")
        }
        let headings = document.headings
        let titles = headings.filter { $0.level == 1 }
        let chapterLevel = titles.count > 1 ? 1 : headings.contains { $0.level == 2 } ? 2 : 1
        let title = fields["title"] ?? (titles.count == 1 && chapterLevel == 2 ? titles.first?.text : nil)
        let language = fields["language"] ?? fields["lang"] ?? "und"
        let direction =
            TextDescription.Direction(language: language) ?? TextDescription.Direction(detectedIn: text)
        let description = source.description(
            title: title, authors: fields["author"].map { [$0] } ?? [], language: language, direction: direction,
            rights: fields["rights"] ?? "")
        try withoutActuallyEscaping(receive) { receive in
            try receive(.text(description))
            try receive(
                .book(BookDescription(id: .whole, name: description.title, abbreviation: description.abbreviation)))
            if let warning { try receive(.warning(TextImportWarning(place: source.path, message: warning))) }
            var reader = MarkdownReader(chapterLevel: chapterLevel, title: title, receive)
            try document.forEachEvent { try reader.read($0, isEntering: $1) }
            if reader.droppedHTML > 0 {
                let message = "\(reader.droppedHTML) pieces of HTML were left out."
                try receive(.warning(TextImportWarning(place: source.path, message: message)))
            }
            guard try reader.finish() > 0 else { throw TextImportError(.empty, "\(source.path) has no text.") }
        }
    }
}

/// The lines `name: value` between two lines `---` at the beginning of a file.
enum FrontMatter {
    /// Returns the text behind the fields, and the fields.
    static func split(_ text: String) -> (Substring, [String: String]) {
        let lines = text.prefix(8_000).split(separator: "\n", maxSplits: 60, omittingEmptySubsequences: false)
        func isFence(_ line: Substring) -> Bool { String(line).collapsed == "---" }
        guard let first = lines.first, isFence(first) else { return (text[...], [:]) }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            if isFence(line) { return (text[line.endIndex...], fields) }
            guard let colon = line.firstIndex(of: ":") else { continue }
            var value = String(line[line.index(after: colon)...]).collapsed
            if value.count > 1, let quote = value.first, quote == "\"" || quote == "'", value.last == quote {
                value = String(value.dropFirst().dropLast())
            }
            if !value.isEmpty { fields[String(line[..<colon]).collapsed.lowercased()] = value }
        }
        return (text[...], [:])
    }
}
