/// Turns elements of OSIS into chapters: those of a document, and those of the entries of a SWORD module.
///
/// Containers (`<l>…</l>`) and milestones (`<l sID="a"/>…<l eID="a"/>`) are equal. An element that is not known keeps its
/// text.
struct OSISComposer {
    /// The effect that the end of an element has.
    enum Effect {
        case none, block, cell, title, note, skip, header, capture, book
        case quotation(String)
    }

    struct Element {
        let name: String
        let effect: Effect
        let style: TextStyle
    }

    var builder: ScriptureBuilder
    /// A Boolean value that tells whether a quotation without a `marker` gets quotation marks.
    var marksQuotations = true
    /// A Boolean value that tells whether keys outside of the markup number the verses, as in a SWORD module.
    var isKeyed = false

    var stack: [Element] = []
    var style: TextStyle = []
    /// The styles of quotations that milestones began, by their id.
    var milestones: [(id: String, style: TextStyle, mark: String)] = []
    var skipped = 0
    var captured: String?
    var isInHeader = false
    var hasWork = false
    var listLevel = 0
    var quotationLevel = 0
    var sectionLevel = 0
    private var unknown: Set<String> = []

    init(_ text: TextDescription) { builder = ScriptureBuilder(text) }

    mutating func handle(_ token: MarkupToken) {
        switch token {
        case .text(let text): append(text)
        case .start(let tag): start(tag)
        case .end(let name): end(name)
        }
    }

    /// Closes what a fragment left open in itself, such as a note.
    mutating func endFragment() {
        while !stack.isEmpty { endLast() }
        builder.endNotes()
        skipped = 0
        captured = nil
    }

    mutating func append(_ text: String) {
        if captured != nil {
            if captured?.utf8.count ?? 0 < 4096 { captured? += text }
        } else if skipped == 0, !isInHeader {
            builder.append(text, builder.isInNote ? style : milestones.reduce(style) { $0.union($1.style) })
        }
    }

    mutating func push(_ tag: MarkupTag, _ effect: Effect = .none, _ added: TextStyle = []) {
        stack.append(Element(name: tag.name, effect: effect, style: style))
        style.formUnion(added)
        if case .skip = effect { skipped += 1 }
        if stack.count > 4096 { endFragment() }
    }

    mutating func end(_ name: String) {
        // A fragment may end what it did not begin.
        guard stack.contains(where: { $0.name == name }) else { return }
        while let last = stack.last {
            endLast()
            if last.name == name { return }
        }
    }

    private mutating func endLast() {
        guard let element = stack.popLast() else { return }
        style = element.style
        switch element.effect {
        case .none: break
        case .block: builder.endBlock()
        case .cell: builder.endCell()
        case .title: builder.endBlock()
        case .note: builder.endNote()
        case .skip: skipped -= 1
        case .header:
            isInHeader = false
            finishDescription()
        case .capture: endCapture(element.name)
        case .book: builder.endBook()
        case .quotation(let mark):
            quotationLevel -= 1
            append(mark)
        }
        if element.name == "list" { listLevel -= 1 }
    }

    mutating func warnUnknown(_ name: String) {
        guard unknown.count < 100, unknown.insert(name).inserted else { return }
        builder.warn("The element '\(name)' is not known. Its text is kept without its meaning.")
    }

    private mutating func endCapture(_ name: String) {
        let value = (captured ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        captured = nil
        guard !value.isEmpty else { return }
        if isInHeader {
            switch name {
            case "title" where builder.text.title.isEmpty: builder.text.title = value
            case "rights" where builder.text.rights.isEmpty: builder.text.rights = value
            case "language" where builder.text.language == "und":
                builder.text.language = ScriptureLanguage.tag(value)
            case "refSystem":
                builder.text.versification = (value.split(separator: ".").last.map(String.init) ?? "").uppercased()
            default: break
            }
        } else {
            builder.nameChapter(value)
        }
    }
}
