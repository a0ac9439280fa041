/// A file with a book of one's own.
public struct BookSource: Hashable, Sendable {
    /// The path of the file.
    public let path: String
    /// The id of the text: lower-case ASCII letters, digits and hyphens.
    public let id: String
    /// The title if the file has none; usually made of the file's name.
    public let fallbackTitle: String

    /// Creates a source. The title defaults to the file's name without its extension, and the id is made of the title.
    public init(path: String, id: String? = nil, title: String? = nil) {
        self.path = path
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let stem = name.lastIndex(of: ".").map { $0 > name.startIndex ? String(name[..<$0]) : name } ?? name
        let words = String(stem.map { $0 == "_" ? " " : $0 }).collapsed
        fallbackTitle = title ?? (words.isEmpty ? "Untitled" : words)
        self.id = id ?? Self.id(of: fallbackTitle)
    }

    /// Returns the id of a title: `The Sign of Four` becomes `the-sign-of-four`; `text` if no ASCII letter is in it.
    public static func id(of title: String) -> String {
        let words = title.folded.utf8.split { !$0.isASCIIDigit && !$0.isASCIILetter }
        let id = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-").prefix(60)
        let trimmed = id.last == "-" ? id.dropLast() : id
        return trimmed.isEmpty ? "text" : String(trimmed)
    }

    /// The description of the text.
    func description(
        title: String? = nil, authors: [String] = [], language: String = "und",
        direction: TextDescription.Direction = .leftToRight, rights: String = ""
    ) -> TextDescription {
        let title = title.flatMap { $0.isEmpty ? nil : $0 } ?? fallbackTitle
        return TextDescription(
            id: id, title: title, abbreviation: title.count <= 24 ? title : String(title.prefix(23)) + "…",
            authors: authors, kind: .book, language: language, direction: direction, rights: rights)
    }
}
