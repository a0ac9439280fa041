/// Reads a plain text: chapters begin at headings, and blank lines separate paragraphs.
///
/// A heading is a short paragraph of one line such as `Chapter 3`, `III.` or `PROLOGUE` with a blank line before it.
/// Bytes may be UTF-8, UTF-16 or Latin-1. A file of more than 64 MB is refused.
public struct PlainTextImporter: TextImporting {
    private let source: BookSource
    private let limit: Int

    /// Creates an importer. `limit` is the largest number of bytes.
    public init(_ source: BookSource, limit: Int = 64 << 20) {
        self.source = source
        self.limit = limit
    }

    /// Reads the text.
    public func read(_ receive: (TextPart) throws -> Void) throws {
        let (text, warning) = TextDecoding.text(of: try FileSource.bytes(source.path, limit: limit))
        guard text.unicodeScalars.contains(where: { !$0.isCollapsible && $0.value != 0xFFFD }) else {
            throw TextImportError(.empty, "\(source.path) has no text.")
        }
        try withoutActuallyEscaping(receive) { receive in
            let description = source.description(direction: TextDescription.Direction(detectedIn: text))
            try receive(.text(description))
            try receive(
                .book(BookDescription(id: .whole, name: description.title, abbreviation: description.abbreviation)))
            if let warning { try receive(.warning(TextImportWarning(place: source.path, message: warning))) }
            var chapters = BookChapters(receive)
            for paragraph in PlainTextParagraphs(text) {
                if let title = paragraph.heading {
                    try chapters.begin(title)
                } else {
                    chapters.append(.paragraph, [paragraph.inlines])
                }
            }
            try chapters.end()
            guard chapters.count > 0 else { throw TextImportError(.empty, "\(source.path) has headings, but no text.") }
        }
    }
}

/// A paragraph of a plain text.
struct PlainTextParagraph {
    fileprivate let lines: [Substring]

    /// The text. Lines that are clearly shorter than others, as in verse, stay apart.
    var inlines: [Inline] {
        let texts = lines.map { String($0).collapsed }.filter { !$0.isEmpty }
        let isVerse = texts.count > 1 && texts.allSatisfy { $0.count < 50 }
        if !isVerse { return [.text(texts.joined(separator: " "))] }
        var inlines: [Inline] = []
        for text in texts {
            if !inlines.isEmpty { inlines.append(.lineBreak) }
            inlines.append(.text(text))
        }
        return inlines
    }

    /// The title if the paragraph is a heading.
    var heading: String? {
        guard lines.count <= 2 else { return nil }
        let text = lines.map { String($0).collapsed }.joined(separator: " ").collapsed
        guard !text.isEmpty, text.count <= 70 else { return nil }
        let words = text.folded.split { !$0.isLetter && !$0.isNumber }
        guard let first = words.first else { return nil }
        if Self.markers.contains(String(first)) {
            if words.count == 1 { return text }
            if words.count > 1, Self.isNumber(words[1]) { return text }
        }
        if Self.loneTitles.contains(String(first)), words.count == 1 { return text }
        guard lines.count == 1 else { return nil }
        if words.count == 1, Self.isNumber(first), first.allSatisfy({ $0.isNumber }) || text == text.uppercased() {
            return text
        }
        let letters = text.filter(\.isLetter)
        let isUpper = letters.count > 2 && letters.allSatisfy(\.isUppercase)
        return isUpper && text.last != "," && text.last != "!" && text.last != "?" ? text : nil
    }

    private static let markers: Set<String> = [
        "chapter", "book", "part", "canto", "act", "scene", "section", "letter", "psalm", "kapitel", "capitulo",
        "chapitre",
        "buch", "teil", "libro", "livre",
    ]
    private static let loneTitles: Set<String> = [
        "prologue", "epilogue", "preface", "introduction", "foreword", "afterword", "appendix", "contents",
        "conclusion",
        "vorwort", "nachwort", "einleitung", "prologo", "epilogo",
    ]
    private static let numberWords: Set<String> = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
        "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "the", "first", "second",
        "third",
        "fourth", "fifth", "last",
    ]

    private static func isNumber(_ word: Substring) -> Bool {
        word.allSatisfy(\.isNumber) || word.allSatisfy { "ivxlc".contains($0) } || numberWords.contains(String(word))
    }
}

/// Splits a plain text into paragraphs at blank lines.
struct PlainTextParagraphs: Sequence, IteratorProtocol {
    private var rest: Substring.UnicodeScalarView
    private let text: String

    init(_ text: String) {
        self.text = text
        rest = text[...].unicodeScalars
    }

    mutating func next() -> PlainTextParagraph? {
        var lines: [Substring] = []
        while !rest.isEmpty {
            let end = rest.firstIndex(where: Self.isEnd) ?? rest.endIndex
            let line = Substring(rest[..<end])
            var next = end
            if next < rest.endIndex {
                let isReturn = rest[next] == "\r"
                next = rest.index(after: next)
                if isReturn, next < rest.endIndex, rest[next] == "\n" { next = rest.index(after: next) }
            }
            rest = rest[next...]
            if line.unicodeScalars.allSatisfy(\.isCollapsible) {
                if !lines.isEmpty { break }
            } else {
                lines.append(line)
                if lines.count == 5_000 { break }
            }
        }
        return lines.isEmpty ? nil : PlainTextParagraph(lines: lines)
    }

    private static func isEnd(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\n" || scalar == "\r" || scalar == "\u{2028}" || scalar == "\u{2029}" || scalar == "\u{0C}"
    }
}
