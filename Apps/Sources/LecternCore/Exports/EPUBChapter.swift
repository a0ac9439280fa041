import LecternTexts

/// A chapter as a page of an EPUB. The first piece of verse 16 has the id `v16`.
struct EPUBChapter {
    private let chapter: Chapter
    private let heading: String
    private let description: TextDescription
    private var notes: [(id: String, text: String)] = []
    private var seen: Set<Int> = []

    init(_ chapter: Chapter, in book: BookDescription, of description: TextDescription) {
        self.chapter = chapter
        self.description = description
        heading = chapter.heading(in: book)
    }

    /// Returns the page.
    mutating func page() -> String {
        var body = ""
        for block in chapter.blocks { body += self.block(block) }
        let language = MarkupText.escaped(description.language)
        var page = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE html>
            <html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="\(language)" \
            xml:lang="\(language)" dir="\(description.direction.rawValue)">
            <head><title>\(MarkupText.escaped(heading))</title><link rel="stylesheet" href="../style.css"/></head>
            <body>
            <section epub:type="chapter">
            <h1>\(MarkupText.escaped(heading))</h1>
            \(body)
            """
        for note in notes {
            page += "<aside epub:type=\"footnote\" id=\"\(note.id)\"><p>\(note.text)</p></aside>\n"
        }
        return page + "</section>\n</body>\n</html>\n"
    }

    private mutating func block(_ block: Block) -> String {
        let content = block.fragments.map { fragment($0) }.joined(separator: block.kind == .tableRow ? "\u{2003}" : " ")
        switch block.kind {
        case .paragraph: return "<p>\(content)</p>\n"
        case .continuation: return "<p class=\"continued\">\(content)</p>\n"
        case .heading(let level): return "<h\(min(6, max(2, level + 1)))>\(content)</h\(min(6, max(2, level + 1)))>\n"
        case .canonicalTitle: return "<p class=\"title\">\(content)</p>\n"
        case .poetry(let indent): return "<p class=\"poetry indent\(min(4, max(1, indent)))\">\(content)</p>\n"
        case .stanzaBreak: return "<p class=\"stanza\">\u{A0}</p>\n"
        case .quotation: return "<blockquote><p>\(content)</p></blockquote>\n"
        case .listItem(_, let marker): return "<p class=\"item\">\(MarkupText.escaped(marker)) \(content)</p>\n"
        case .preformatted: return "<pre>\(content)</pre>\n"
        case .tableRow: return "<p class=\"row\">\(content)</p>\n"
        case .rule: return "<hr/>\n"
        }
    }

    private mutating func fragment(_ fragment: Fragment) -> String {
        var text = ""
        if let label = fragment.label { text += "<sup class=\"number\">\(MarkupText.escaped(label))</sup>\u{A0}" }
        for inline in fragment.inlines { text += self.inline(inline) }
        guard let verse = fragment.verse else { return text }
        return seen.insert(verse).inserted ? "<span id=\"v\(verse)\">\(text)</span>" : "<span>\(text)</span>"
    }

    private mutating func inline(_ inline: Inline) -> String {
        switch inline {
        case .text(let text, let style): return Self.styled(MarkupText.escaped(text), style)
        case .lineBreak: return "<br/>"
        case .note(let note):
            let id = "n\(notes.count + 1)"
            // A note has no notes of its own.
            let text = note.inlines.map { inline -> String in
                if case .text(let text, let style) = inline { return Self.styled(MarkupText.escaped(text), style) }
                return " "
            }.joined()
            notes.append((id, text.isEmpty ? "\u{2014}" : text))
            return "<a epub:type=\"noteref\" href=\"#\(id)\">\(MarkupText.escaped(note.mark ?? "*"))</a>"
        }
    }

    private static func styled(_ text: String, _ style: TextStyle) -> String {
        let elements: [(TextStyle, String, String)] = [
            (.wordsOfChrist, "<span class=\"christ\">", "</span>"), (.added, "<i>", "</i>"),
            (.divineName, "<span class=\"name\">", "</span>"), (.emphasis, "<em>", "</em>"),
            (.strong, "<strong>", "</strong>"), (.code, "<code>", "</code>"),
            (.scriptureQuotation, "<cite>", "</cite>"),
            (.foreign, "<i>", "</i>"), (.superscript, "<sup>", "</sup>"), (.selah, "<i>", "</i>"),
        ]
        return elements.reduce(text) { text, element in
            style.contains(element.0) ? element.1 + text + element.2 : text
        }
    }

    static let style = """
        body { line-height: 1.5; }
        .number { font-size: 0.65em; }
        .poetry { margin: 0 0 0 2em; text-indent: -1em; }
        .indent2 { margin-left: 3em; }
        .indent3 { margin-left: 4em; }
        .indent4 { margin-left: 5em; }
        .title { font-style: italic; }
        .christ { color: #9c1c1c; }
        .name { font-variant: small-caps; }
        .heard { background-color: #ffe9a8; color: #000; }

        """
}
