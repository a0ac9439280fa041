/// Turns a content document of an EPUB into blocks of chapters.
struct EPUBDocumentReader {
    private struct Element {
        var name: String
        var styles: TextStyle
        /// The kind of the blocks within; `nil` for inline elements.
        var kind: Block.Kind?
    }

    private let file: String
    private let titles: [String: String]
    private let note: (EPUBPath) throws -> [Inline]?
    private var elements: [Element] = []
    private var inlines: [Inline] = []
    private var cells: [[Inline]] = []
    private var lists: [Int?] = []
    private var marker: String?
    /// The depth within an element that is left out.
    private var skipped = 0
    private var reference: (path: EPUBPath, mark: String, depth: Int)?
    private(set) var scripts = 0
    private(set) var remoteImages = 0
    private(set) var images = 0

    /// Creates a reader. `titles` are those of chapters that begin at elements of the file, by id.
    init(_ file: String, titles: [String: String], note: @escaping (EPUBPath) throws -> [Inline]?) {
        self.file = file
        self.titles = titles
        self.note = note
    }

    mutating func read(_ bytes: [UInt8], into chapters: inout EPUBChapters) throws {
        var scanner = MarkupScanner(bytes)
        while let event = scanner.next() {
            switch event {
            case .start(let name, let attributes): try start(name, attributes, &chapters)
            case .text(let text): append(text)
            case .end(let name): try end(name, &chapters)
            }
        }
        try flush(&chapters)
    }

    private var styles: TextStyle { elements.last?.styles ?? [] }
    private var kind: Block.Kind { elements.last { $0.kind != nil }?.kind ?? .paragraph }

    private mutating func append(_ text: String) {
        guard skipped == 0 else { return }
        if reference != nil {
            if (reference?.mark.utf8.count ?? 0) < 40 { reference?.mark += text }
        } else if kind == .preformatted {
            for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                if index > 0 { inlines.append(.lineBreak) }
                if !line.isEmpty { inlines.append(.text(String(line), styles)) }
            }
        } else if !text.isEmpty {
            inlines.append(.text(text.collapsedInside, styles))
        }
    }

    private mutating func start(_ name: String, _ attributes: [String: String], _ chapters: inout EPUBChapters) throws {
        if skipped > 0 || Self.skippedNames.contains(name) || EPUBNotes.isNote(attributes)
            || attributes["hidden"] != nil
        {
            if name == "script" { scripts += 1 }
            if Self.blockNames.contains(name), skipped == 0 { try flush(&chapters) }
            skipped += 1
            return
        }
        if let id = attributes["id"], let title = titles[id] {
            try flush(&chapters)
            try chapters.begin(title)
        }
        if EPUBNotes.isReference(attributes), let address = attributes["href"], reference == nil,
            let path = EPUBPath(address, from: file)
        {
            reference = (path, "", elements.count)
        }
        switch name {
        case "br": if reference == nil { inlines.append(.lineBreak) }
        case "img", "image":
            images += 1
            if let address = attributes["src"], EPUBPath(address, from: file) == nil { remoteImages += 1 }
            if let text = attributes["alt"]?.collapsed, !text.isEmpty {
                inlines.append(.text(text, styles.union(.emphasis)))
            }
        case "hr":
            try flush(&chapters)
            chapters.append(Block(.rule))
        default: break
        }
        guard elements.count < 256 else { return }
        var element = Element(name: name, styles: styles.union(Self.styles[name] ?? []))
        if Self.blockNames.contains(name) {
            if kind == .tableRow, name != "tr", name != "table" {
                // Paragraphs within a cell do not end the row.
                inlines.append(.text(" "))
                element.kind = .tableRow
            } else {
                try flush(&chapters)
                element.kind = kind(of: name, attributes)
            }
        }
        elements.append(element)
    }

    private mutating func kind(of name: String, _ attributes: [String: String]) -> Block.Kind {
        switch name {
        case "h1", "h2", "h3", "h4", "h5", "h6": return .heading(level: name.utf8.last.map { Int($0) - 48 } ?? 1)
        case "blockquote": return .quotation
        case "pre": return .preformatted
        case "tr": return .tableRow
        case "ul": lists.append(nil)
        case "ol": lists.append(Int(attributes["start"] ?? "1") ?? 1)
        case "li":
            if let last = lists.last, let number = last {
                marker = "\(number)."
                lists[lists.count - 1] = number &+ 1
            } else {
                marker = "•"
            }
            return .listItem(level: min(max(lists.count, 1), 6), marker: "")
        case "table", "body", "section", "article": return .paragraph
        default: break
        }
        return kind
    }

    private mutating func end(_ name: String, _ chapters: inout EPUBChapters) throws {
        if skipped > 0 {
            skipped -= 1
            return
        }
        // An end without a start is ignored; one that skips others closes them too.
        guard let open = elements.lastIndex(where: { $0.name == name }) else { return }
        if let reference, open <= reference.depth {
            let mark = reference.mark.collapsed
            if let text = try note(reference.path) {
                inlines.append(.note(Note(.footnote, mark: mark.isEmpty ? nil : mark, text)))
            } else if !mark.isEmpty {
                inlines.append(.text(mark, styles.union(.superscript)))
            }
            self.reference = nil
        }
        if name == "td" || name == "th" {
            cells.append(inlines.tidied)
            inlines = []
        } else if kind == .tableRow, !elements[open...].contains(where: { $0.name == "tr" || $0.name == "table" }) {
            if elements[open].kind != nil { inlines.append(.text(" ")) }
        } else if elements[open...].contains(where: { $0.kind != nil }) {
            try flush(&chapters)
        }
        if name == "ul" || name == "ol", !lists.isEmpty { lists.removeLast() }
        elements.removeSubrange(open...)
    }

    private mutating func flush(_ chapters: inout EPUBChapters) throws {
        defer {
            inlines = []
            cells = []
        }
        if kind == .tableRow {
            chapters.append(.tableRow, cells + (inlines.hasText ? [inlines.tidied] : []))
            return
        }
        let text = kind == .preformatted ? inlines : inlines.tidied
        guard text.hasText || text.contains(where: { if case .note = $0 { true } else { false } }) else { return }
        switch kind {
        case .heading(let level): chapters.heading(level, text)
        case .listItem(let level, _):
            chapters.append(.listItem(level: level, marker: marker ?? ""), [text])
            marker = nil
        default: chapters.append(kind, [text])
        }
    }

    private static let styles: [String: TextStyle] = [
        "em": .emphasis, "i": .emphasis, "cite": .emphasis, "dfn": .emphasis, "var": .emphasis, "strong": .strong,
        "b": .strong, "code": .code, "tt": .code, "kbd": .code, "samp": .code, "sup": .superscript,
    ]
    private static let blockNames: Set<String> = [
        "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "div", "dl", "dt", "figcaption",
        "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre",
        "section", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
    ]
    private static let skippedNames: Set<String> = [
        "head", "script", "style", "svg", "math", "audio", "video", "object", "embed", "iframe", "template", "noscript",
        "form", "button", "select", "textarea", "rp", "rt",
    ]
}
