extension OSISComposer {
    mutating func start(_ tag: MarkupTag) {
        if isInHeader {
            startInHeader(tag)
            return
        }
        switch tag.name {
        case "osisText":
            if let language = tag.attribute("xml:lang"), builder.text.language == "und" {
                builder.text.language = ScriptureLanguage.tag(language)
            }
            push(tag)
        case "header":
            isInHeader = true
            push(tag, .header)
        case "div": startDivision(tag)
        case "chapter": startChapter(tag)
        case "verse": startVerse(tag)
        case "title", "head": startTitle(tag)
        case "note": startNote(tag)
        case "reference": startReference(tag)
        case "q": startQuotation(tag)
        case "milestone", "lb": startMilestone(tag)
        default:
            if !startBlock(tag) { startInline(tag) }
        }
    }

    private mutating func startInHeader(_ tag: MarkupTag) {
        if tag.name == "work" {
            hasWork = hasWork || builder.text.title.isEmpty == false
            push(tag)
        } else if !hasWork, ["title", "rights", "language", "refSystem"].contains(tag.name), captured == nil {
            captured = ""
            push(tag, .capture)
        } else {
            push(tag)
        }
    }

    private mutating func startDivision(_ tag: MarkupTag) {
        let type = tag.attribute("type") ?? ""
        let isEnd = tag.attribute("eID") != nil
        switch type {
        case "book":
            if isEnd {
                builder.endBook()
            } else if !isKeyed, let id = tag.attribute("osisID").flatMap({ OSISReference.identifier($0[...]) }) {
                builder.beginBook(id.book)
            }
            push(tag, tag.isEmpty ? .none : .book)
        case "x-p", "paragraph", "p":
            if isEnd { builder.endBlock() } else { builder.beginBlock(.paragraph) }
            push(tag, tag.isEmpty ? .none : .block)
        case "glossary", "index", "appendix", "concordance", "afterword", "back", "bibliography", "gazetteer":
            // Behind the last book, such matter is a book of its own.
            if !isEnd, builder.book == nil {
                let id = type == "glossary" ? "Glossary" : ScriptureBook.otherMatter
                builder.beginBook(BookID(rawValue: id))
            } else if isEnd, builder.chapter == 0 {
                builder.endBook()
            }
            push(tag)
        default: push(tag)
        }
    }

    private mutating func startChapter(_ tag: MarkupTag) {
        push(tag)
        let id = (tag.attribute("osisID") ?? tag.attribute("sID")).flatMap { OSISReference.identifier($0[...]) }
        guard tag.attribute("eID") == nil, !isKeyed else { return }
        guard let number = id?.chapter ?? tag.attribute("n").flatMap({ OSISReference.number($0[...]) }), number > 0
        else {
            builder.warn("A chapter has no number. Its text stays in the chapter before it.")
            return
        }
        if let book = id?.book, ScriptureBook.byOSIS[book.rawValue] != nil || builder.book == nil {
            builder.beginBook(book)
        }
        builder.beginChapter(number)
        if let title = tag.attribute("chapterTitle") { builder.nameChapter(title) }
    }

    private mutating func startVerse(_ tag: MarkupTag) {
        push(tag)
        guard tag.attribute("eID") == nil, !isKeyed else { return }
        let names = (tag.attribute("osisID") ?? tag.attribute("sID") ?? "").split(separator: " ")
        let ids = names.compactMap { OSISReference.identifier($0) }
        guard let first = ids.first, let number = first.verse, number > 0 else {
            builder.warn("A verse has no number. Its text stays in the verse before it.")
            return
        }
        if builder.book == nil { builder.beginBook(first.book) }
        if let chapter = first.chapter, chapter > 0 { builder.beginChapter(chapter) }
        let last = ids.last?.verse ?? number
        builder.beginVerse(number, label: last > number ? "\(number)–\(last)" : nil)
    }

    private mutating func startTitle(_ tag: MarkupTag) {
        let type = tag.attribute("type") ?? ""
        if type == "chapter" {
            captured = ""
            push(tag, .capture)
            return
        }
        if builder.isInNote {
            push(tag)
            return
        }
        let kind: Block.Kind
        if tag.attribute("canonical") == "true" || type == "psalm" {
            kind = .canonicalTitle
        } else {
            let level = tag.attribute("level").flatMap { Int($0) } ?? 1
            switch type {
            case "main": kind = .heading(level: min(max(level, 1), 2))
            case "sub", "parallel", "scope", "acrostic": kind = .heading(level: 4)
            default: kind = .heading(level: 3)
            }
        }
        builder.beginBlock(kind)
        push(tag, .title)
    }

    private mutating func startNote(_ tag: MarkupTag) {
        guard !tag.isEmpty else {
            push(tag)
            return
        }
        if tag.attribute("type") == "x-strongsMarkup" {
            push(tag, .skip)
            return
        }
        let isCross = tag.attribute("type") == "crossReference"
        builder.beginNote(isCross ? .crossReference : .footnote, mark: tag.attribute("n"))
        push(tag, .note)
        // A note is set in its own style, not in that of the words around it.
        style = []
    }

    private mutating func startReference(_ tag: MarkupTag) {
        if tag.attribute("type") == "annotateRef" || tag.attribute("type") == "source" {
            push(tag, tag.isEmpty ? .none : .skip)
            return
        }
        if let reference = tag.attribute("osisRef") { builder.refer(OSISReference.parse(reference)) }
        push(tag)
    }

    private mutating func startQuotation(_ tag: MarkupTag) {
        let added: TextStyle = tag.attribute("who") == "Jesus" ? .wordsOfChrist : []
        let marker = tag.attribute("marker")
        if let id = tag.attribute("eID") {
            push(tag)
            guard let found = milestones.lastIndex(where: { $0.id == id }) else { return }
            let mark = milestones[found].mark
            append(marker ?? mark)
            milestones.remove(at: found)
            quotationLevel -= 1
            return
        }
        let isBlock = tag.attribute("type") == "block" || tag.attribute("type") == "blockQuote"
        let marks = quotationMarks(marker, isBlock: isBlock || !added.isEmpty)
        quotationLevel += 1
        if let id = tag.attribute("sID") {
            if milestones.count < 256 { milestones.append((id, added, marks.close)) }
            append(marks.open)
            push(tag)
            return
        }
        if isBlock { builder.beginBlock(.quotation) }
        let before = style
        style.formUnion(added)
        append(marks.open)
        style = before
        if isBlock {
            quotationLevel -= 1
            push(tag, .block, added)
        } else {
            push(tag, .quotation(marks.close), added)
        }
    }

    private func quotationMarks(_ marker: String?, isBlock: Bool) -> (open: String, close: String) {
        if let marker { return (marker, marker.isEmpty ? "" : OSISComposer.closing[marker] ?? marker) }
        guard marksQuotations, !isBlock else { return ("", "") }
        return quotationLevel.isMultiple(of: 2) ? ("“", "”") : ("‘", "’")
    }

    private static let closing = ["“": "”", "‘": "’", "«": "»", "‹": "›", "„": "“", "‚": "‘", "「": "」", "『": "』"]

    private mutating func startMilestone(_ tag: MarkupTag) {
        push(tag)
        let type = tag.attribute("type") ?? ""
        let text = tag.attribute("n") ?? ""
        switch type {
        case "x-usfm-h": builder.nameBook(text)
        case "x-usfm-toc3": builder.abbreviateBook(text)
        case "x-chapterLabel": builder.nameChapter(text)
        case "x-p", "pb": if tag.name == "lb" || type == "x-p" { builder.beginBlock(.paragraph) }
        case "line": builder.appendLineBreak()
        default: if tag.name == "lb" { builder.appendLineBreak() }
        }
    }

    /// Begins a block element. Returns `false` if the element is none.
    private mutating func startBlock(_ tag: MarkupTag) -> Bool {
        let isEnd = tag.attribute("eID") != nil
        let kind: Block.Kind
        var added: TextStyle = []
        switch tag.name {
        case "p": kind = .paragraph
        case "l":
            let level = tag.attribute("level").flatMap { Int($0) } ?? 1
            kind = .poetry(indent: min(max(level, 1), 4))
            if tag.attribute("type") == "selah" { added = .selah }
        case "lg":
            builder.beginBlock(.stanzaBreak)
            builder.endBlock()
            push(tag)
            return true
        case "list":
            listLevel += 1
            push(tag)
            return true
        case "item": kind = .listItem(level: min(max(listLevel, 1), 6), marker: "•")
        case "row": kind = .tableRow
        case "speaker": kind = .heading(level: 4)
        case "closer", "salute", "signed", "salutation", "lb-p": kind = .paragraph
        case "cell":
            push(tag, .cell)
            return true
        case "table":
            builder.endBlock()
            push(tag)
            return true
        default: return false
        }
        guard !builder.isInNote else {
            append(" ")
            push(tag)
            return true
        }
        if isEnd {
            builder.endBlock()
            if tag.name == "l" { milestones.removeAll { $0.id == "selah" } }
            push(tag)
        } else if tag.isEmpty {
            builder.beginBlock(kind)
            // The style of a milestone lasts until its end.
            if !added.isEmpty { milestones.append(("selah", added, "")) }
            push(tag)
        } else {
            builder.beginBlock(kind)
            push(tag, .block, added)
        }
        return true
    }

    private mutating func startInline(_ tag: MarkupTag) {
        switch tag.name {
        case "w", "seg", "name", "rdg", "abbr", "inscription", "mentioned", "date", "a", "index", "rdgGroup", "osis",
            "titlePage", "caption", "actor", "castGroup", "castItem", "castList", "role", "roleDesc", "label",
            "teiHeader", "speech", "revisionDesc":
            push(tag)
        case "transChange": push(tag, .none, tag.attribute("type") == "added" ? .added : [])
        case "divineName": push(tag, .none, .divineName)
        case "foreign": push(tag, .none, .foreign)
        case "catchWord": push(tag, .none, .emphasis)
        case "hi":
            switch tag.attribute("type") ?? "" {
            case "bold": push(tag, .none, .strong)
            case "super": push(tag, .none, .superscript)
            case "small-caps": push(tag)
            default: push(tag, .none, .emphasis)
            }
        case "figure": push(tag)
        default:
            warnUnknown(tag.name)
            push(tag)
        }
    }
}
