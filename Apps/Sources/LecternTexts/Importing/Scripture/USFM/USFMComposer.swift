/// Turns markers of USFM, or the styles of USX that have the same names, into chapters.
struct USFMComposer {
    private struct Open {
        let marker: String
        let style: TextStyle
        var isNotePart = false
        var isAttributes = false
    }

    var builder: ScriptureBuilder
    private var style: TextStyle = []
    private var open: [Open] = []
    private var noteStart = 0
    private var noteStyle: TextStyle = []
    private var field: USFMMarker.Field?
    private var value = ""
    private var awaited: Awaited?
    private var unknown: Set<String> = []
    private var isMilestone = false
    private var isOrigin = false
    private var names: [USFMMarker.Field: String] = [:]
    private var chapterLabel: String?

    /// A value that is the start of the text behind a marker.
    private enum Awaited { case id, chapter, verse, caller(Note.Kind) }

    init(_ text: TextDescription) { builder = ScriptureBuilder(text) }

    // MARK: Markers

    /// Handles a marker of USFM.
    mutating func begin(_ name: String) {
        endAwaited()
        let isNested = name.first == "+"
        let marker = isNested ? String(name.dropFirst()) : name
        if isMilestone { isMilestone = false }
        if marker.hasSuffix("-s") || marker.hasSuffix("-e") || marker == "ts" {
            isMilestone = true
            return
        }
        guard let meaning = USFMMarker(marker) else {
            warnUnknown(marker)
            return
        }
        switch meaning {
        case .id: (awaited, value) = (.id, "")
        case .chapter: (awaited, value) = (.chapter, "")
        case .verse: (awaited, value) = (.verse, "")
        case .note(let kind):
            if builder.isInNote { builder.beginNote(kind) } else { (awaited, value) = (.caller(kind), "") }
        default: apply(meaning, marker, isNested: isNested)
        }
    }

    /// Applies a marker that needs no value: a block, a character style, a part of a note, a cell or a field.
    mutating func apply(_ meaning: USFMMarker, _ marker: String, isNested: Bool = true) {
        switch meaning {
        case .block(let kind): beginBlock(kind)
        case .cell:
            endField()
            builder.endCell()
        case .field(let new):
            if !["vp", "ca", "va", "cat"].contains(marker) { endParagraph() }
            (field, value) = (new, "")
        case .notePart(let added) where builder.isInNote:
            endOpen { $0.isNotePart || !isNested }
            isOrigin = false
            push(marker, added, isNotePart: true)
        case .noteOrigin where builder.isInNote: isOrigin = true
        case .notePart(let added), .character(let added):
            if !isNested { endOpen { !$0.isNotePart } }
            push(marker, added)
        case .noteOrigin, .ignored: break
        case .id, .chapter, .verse, .note: break
        }
    }

    /// Handles the end of a character style or a note.
    mutating func end(_ name: String) {
        endAwaited()
        let marker = name.first == "+" ? String(name.dropFirst()) : name
        if marker.hasSuffix("-s") || marker.hasSuffix("-e") {
            isMilestone = false
            return
        }
        switch USFMMarker(marker) {
        case .note: endNote()
        case .field: endField()
        case .noteOrigin: isOrigin = false
        default:
            guard let found = open.lastIndex(where: { $0.marker == marker }) else { return }
            while open.count > found { pop() }
        }
    }

    mutating func endMilestone() { isMilestone = false }

    /// Handles text.
    mutating func append(_ text: String) {
        guard awaited == nil else {
            appendAwaited(text)
            return
        }
        appendText(text)
    }

    private mutating func appendText(_ text: String) {
        if isMilestone || isOrigin { return }
        if field != nil {
            if value.utf8.count < 4096 { value += text }
            return
        }
        if let last = open.indices.last {
            if open[last].isAttributes {
                takeAttributes(text)
                return
            }
            if let bar = text.firstIndex(of: "|") {
                builder.append(String(text[..<bar]), style)
                open[last].isAttributes = true
                takeAttributes(String(text[text.index(after: bar)...]))
                return
            }
        }
        // `//` is an optional line break, and `~` a space that does not break.
        var shown = text
        if shown.utf8.contains(UInt8(ascii: "~")) { shown = shown.replacing("~", with: "\u{A0}") }
        if shown.contains("//") { shown = shown.replacing("//", with: " ") }
        builder.append(shown, style)
    }

    /// Handles text of USX, in which `|`, `~` and `//` are characters.
    mutating func appendPlain(_ text: String) {
        if isOrigin { return }
        if field != nil {
            if value.utf8.count < 4096 { value += text }
            return
        }
        builder.append(text, style)
    }

    private mutating func takeAttributes(_ text: String) {
        guard builder.isInNote else { return }
        let value = text.contains("\"") ? text.split(separator: "\"").dropFirst().first.map(String.init) ?? "" : text
        for part in value.split(separator: ";") {
            if let reference = OSISReference.parseUSX(String(part)) { builder.refer([reference]) }
        }
    }

    // MARK: Values

    private mutating func appendAwaited(_ text: String) {
        value += text
        let trimmed = value.drop(while: \.isWhitespace)
        guard trimmed.contains(where: \.isWhitespace) || trimmed.utf8.count > 64 else { return }
        endAwaited()
    }

    /// Uses the value for which a marker waits, and hands on the text behind it.
    private mutating func endAwaited() {
        guard let kind = awaited else { return }
        awaited = nil
        let trimmed = value.drop(while: \.isWhitespace)
        let word = String(trimmed.prefix { !$0.isWhitespace })
        let rest = String(trimmed.dropFirst(word.count).drop { $0 == " " })
        value = ""
        switch kind {
        case .id:
            beginBook(word)
            field = .skipped
        case .chapter: beginChapter(word, rest)
        case .verse: beginVerse(word, rest)
        case .caller(let kind):
            beginNote(kind, mark: word)
            appendText(rest)
        }
    }

    mutating func beginBook(_ code: String) {
        endParagraph()
        names = [:]
        chapterLabel = nil
        if let book = ScriptureBook.byUSFM[code.uppercased()] {
            builder.beginBook(BookID(rawValue: book.osis))
        } else {
            let id = String(code.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(16))
            builder.warn("The book code '\(code.prefix(16))' is not known. The book is kept under this name.")
            builder.beginBook(BookID(rawValue: id.isEmpty ? ScriptureBook.otherMatter : id))
        }
    }

    mutating func beginChapter(_ number: String, _ rest: String = "") {
        endParagraph()
        guard let parsed = OSISReference.number(number[...]), parsed > 0 else {
            builder.warn("The chapter '\(number.prefix(16))' has no number. Its text stays in the chapter before it.")
            builder.append(number + " " + rest)
            return
        }
        builder.beginChapter(parsed)
        builder.nameChapter(chapterLabel.map { "\($0) \(parsed)" })
        builder.append(rest)
    }

    mutating func beginVerse(_ number: String, _ rest: String = "") {
        endField()
        endNote()
        while !open.isEmpty { pop() }
        guard let parsed = VerseNumber(number) else {
            builder.warn("The verse '\(number.prefix(16))' has no number. Its text stays in the verse before it.")
            builder.append(" " + number + " " + rest)
            return
        }
        builder.beginVerse(parsed.first, label: parsed.label)
        builder.append(rest, style)
    }

    mutating func beginNote(_ kind: Note.Kind, mark: String) {
        if !builder.isInNote {
            noteStart = open.count
            noteStyle = style
        }
        style = []
        builder.beginNote(kind, mark: mark == "+" || mark == "-" || mark.isEmpty ? nil : mark)
    }

    mutating func endNote() {
        isOrigin = false
        guard builder.isInNote else { return }
        while open.count > noteStart { pop() }
        builder.endNote()
        if !builder.isInNote { style = noteStyle }
    }

    // MARK: Ends

    private mutating func beginBlock(_ kind: Block.Kind) {
        endParagraph()
        builder.beginBlock(kind)
        if kind == .stanzaBreak || kind == .rule { builder.endBlock() }
    }

    /// Ends what a paragraph contains, as a marker of a paragraph does.
    mutating func endParagraph() {
        endAwaited()
        endField()
        isMilestone = false
        while builder.isInNote { endNote() }
        while !open.isEmpty { pop() }
        style = []
        builder.endBlock()
    }

    private mutating func endField() {
        guard let ended = field else { return }
        field = nil
        let text = value.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        value = ""
        guard !text.isEmpty else { return }
        switch ended {
        case .header, .shortName, .longName:
            names[ended] = text
            builder.nameBook(names[.header] ?? names[.shortName] ?? names[.longName] ?? text)
        case .abbreviation: builder.abbreviateBook(text)
        case .chapterLabel:
            if builder.chapter == 0 { chapterLabel = text } else { builder.nameChapter(text) }
        case .chapterShown: builder.nameChapter(text)
        case .verseShown: builder.showVerse(text)
        case .skipped: break
        }
    }

    private mutating func push(_ marker: String, _ added: TextStyle, isNotePart: Bool = false) {
        if open.count > 64 { pop() }
        open.append(Open(marker: marker, style: style, isNotePart: isNotePart))
        style.formUnion(added)
    }

    private mutating func pop() {
        if let last = open.popLast() { style = last.style }
    }

    private mutating func endOpen(_ ends: (Open) -> Bool) {
        while open.count > (builder.isInNote ? noteStart : 0), let last = open.last, ends(last) { pop() }
    }

    mutating func warnUnknown(_ marker: String) {
        guard unknown.count < 100, unknown.insert(marker).inserted else { return }
        builder.warn("The marker '\\\(marker)' is not known. Its text is kept without its meaning.")
    }
}
