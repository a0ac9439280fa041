/// Turns elements of USX into markers of USFM, which have the same names.
struct USXComposer {
    var composer: USFMComposer
    private var stack: [(name: String, style: String)] = []

    init(_ text: TextDescription) { composer = USFMComposer(text) }

    mutating func handle(_ token: MarkupToken) {
        switch token {
        case .text(let text): append(text)
        case .start(let tag): start(tag)
        case .end: end()
        }
    }

    private mutating func append(_ text: String) {
        // A bar or a tilde has no meaning in USX, unlike in USFM.
        if stack.last?.name == "book" { return }
        composer.appendPlain(text)
    }

    private mutating func start(_ tag: MarkupTag) {
        let style = tag.attribute("style") ?? ""
        stack.append((tag.name, style))
        switch tag.name {
        case "usx", "usfm", "table", "sidebar", "periph": break
        case "book": composer.beginBook(tag.attribute("code") ?? "")
        case "chapter":
            guard tag.attribute("eid") == nil else { return }
            composer.beginChapter(tag.attribute("number") ?? "")
            if let shown = tag.attribute("pubnumber") { composer.builder.nameChapter(shown) }
        case "verse":
            guard tag.attribute("eid") == nil else { return }
            composer.beginVerse(tag.attribute("number") ?? "")
            if let shown = tag.attribute("pubnumber") { composer.builder.showVerse(shown) }
        case "para", "row":
            composer.endParagraph()
            let marker = tag.name == "row" ? "tr" : style
            guard let meaning = USFMMarker(marker) else {
                composer.warnUnknown(marker)
                return
            }
            composer.apply(meaning, marker)
        case "cell": composer.apply(.cell, style)
        case "note":
            let kind: Note.Kind = style == "x" || style == "ex" ? .crossReference : .footnote
            composer.beginNote(kind, mark: tag.attribute("caller") ?? "")
        case "char":
            guard let meaning = USFMMarker(style) else {
                composer.warnUnknown(style)
                return
            }
            composer.apply(meaning, style)
            if let target = tag.attribute("link-href") { refer(target) }
        case "ref": refer(tag.attribute("loc") ?? "")
        case "optbreak": composer.appendPlain(" ")
        case "ms", "figure": break
        default: composer.warnUnknown(tag.name)
        }
    }

    private mutating func refer(_ target: String) {
        if let reference = OSISReference.parseUSX(target) { composer.builder.refer([reference]) }
    }

    private mutating func end() {
        guard let last = stack.popLast() else { return }
        switch last.name {
        case "para", "row": composer.endParagraph()
        case "note": composer.endNote()
        case "char": composer.end(last.style)
        default: break
        }
    }
}
