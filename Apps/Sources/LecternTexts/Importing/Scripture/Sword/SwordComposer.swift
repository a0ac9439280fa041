/// Turns the entries of a SWORD module into chapters.
struct SwordComposer {
    /// The markup of a module's entries.
    enum Markup {
        case osis, thml, gbf, plain

        /// Parses the `SourceType` of a module.
        init(_ sourceType: String) {
            switch sourceType.lowercased() {
            case "osis": self = .osis
            case "thml": self = .thml
            case "gbf": self = .gbf
            default: self = .plain
            }
        }
    }

    private var osis: OSISComposer
    private let markup: Markup
    private let isLatin: Bool
    private var last: (book: String, verse: Int, content: [UInt8])?
    private var joined: Int?
    private var named: (name: String, id: BookID)?
    private var unknownBooks: Set<String> = []
    private var hasInvalidBytes = false
    /// A Boolean value that tells whether a verse with text was met.
    private(set) var hasVerses = false

    var marksQuotations: Bool {
        get { osis.marksQuotations }
        set { osis.marksQuotations = newValue }
    }

    init(_ text: TextDescription, markup: Markup, isLatin: Bool) {
        self.markup = markup
        self.isLatin = isLatin
        osis = OSISComposer(text)
        osis.isKeyed = true
        switch markup {
        case .osis: break
        case .thml: osis.builder.warn("The module is in ThML. Its text and notes are kept; most of its layout is not.")
        case .gbf: osis.builder.warn("The module is in GBF. Its text and notes are kept; most of its layout is not.")
        case .plain: osis.builder.warn("The module has no markup that is known. Its text is kept.")
        }
    }

    mutating func handle(_ key: SwordKey, _ content: [UInt8]) throws {
        guard !content.isEmpty else { return }
        osis.builder.place = "\(key.book) \(key.chapter):\(key.verse)"
        let id = bookID(key.book)
        if key.verse > 0, let last, last.book == key.book, last.content == content, content.count > 8,
            joined ?? last.verse == key.verse - 1, osis.builder.chapter == key.chapter
        {
            // Verses that a translation joins are links to one entry.
            joined = key.verse
            osis.builder.relabel(last.verse, "\(last.verse)–\(key.verse)")
            return
        }
        osis.builder.beginBook(id)
        osis.builder.beginChapter(key.chapter)
        if key.verse > 0 {
            last = (key.book, key.verse, content)
            joined = nil
            osis.builder.append(" ")
            osis.builder.beginVerse(key.verse)
        }
        let words = markup == .osis ? SwordWords.removed(from: content) : content
        let reader = MarkupReader(
            fragment: isLatin ? Array(String(decoding: words.map(UInt16.init), as: UTF16.self).utf8) : words)
        while let token = try reader.next() {
            switch markup {
            case .osis: osis.handle(token)
            case .plain: if case .text(let text) = token { osis.append(text) } else { osis.append(" ") }
            case .thml, .gbf: handleOther(token)
            }
        }
        osis.endFragment()
        if key.verse > 0, osis.builder.hasVerseText { hasVerses = true }
        if reader.hasInvalidBytes, !hasInvalidBytes {
            hasInvalidBytes = true
            osis.builder.warn("The module has bytes that are not UTF-8. Each is shown as �.")
        }
    }

    mutating func takeParts() throws -> [TextPart] {
        osis.builder.needsDrain ? try osis.builder.takeParts() : []
    }

    mutating func finish() throws -> [TextPart] {
        try osis.builder.end()
        return try osis.builder.takeParts()
    }

    private mutating func bookID(_ name: String) -> BookID {
        if let named, named.name == name { return named.id }
        let id = identify(name)
        named = (name, id)
        return id
    }

    private mutating func identify(_ name: String) -> BookID {
        if let book = BookCatalogue.standard.entry(named: name) { return book.id }
        let id = String(name.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(32))
        if unknownBooks.insert(name).inserted {
            osis.builder.warn("The book '\(name)' is not known. It is kept under this name.")
        }
        return id.isEmpty ? .otherMatter : BookID(rawValue: id)
    }

    /// Handles a tag of ThML (`<note>`, `<i>`) or of GBF (`<RF>` to `<Rf>`), whose names differ.
    private mutating func handleOther(_ token: MarkupToken) {
        switch token {
        case .text(let text): osis.append(text)
        case .start(let tag):
            switch tag.name {
            case "RF", "note": osis.builder.beginNote(.footnote)
            case "Rf": osis.builder.endNote()
            case "FR": osis.style.insert(.wordsOfChrist)
            case "Fr": osis.style.remove(.wordsOfChrist)
            case "FI": osis.style.insert(.added)
            case "Fi": osis.style.remove(.added)
            case "FB", "b": osis.style.insert(.strong)
            case "Fb": osis.style.remove(.strong)
            case "i": osis.style.insert(.emphasis)
            case "TS", "h1", "h2", "h3": osis.builder.beginBlock(.heading(level: 3))
            case "Ts": osis.builder.endBlock()
            case "CM", "p": osis.builder.beginBlock(.paragraph)
            case "CL", "br": osis.builder.appendLineBreak()
            default: break
            }
        case .end(let name):
            switch name {
            case "note": osis.builder.endNote()
            case "i": osis.style.remove(.emphasis)
            case "b": osis.style.remove(.strong)
            case "h1", "h2", "h3": osis.builder.endBlock()
            default: break
            }
        }
    }
}
