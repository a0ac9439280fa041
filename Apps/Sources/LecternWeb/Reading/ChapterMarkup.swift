import Foundation
import HablareWeb
import LecternCore
import LecternTexts

/// Writes a chapter as HTML: paragraphs and lines of poetry, verses with their ids, notes, and the person's marks.
///
/// Every fragment of a verse is a `span.v` with `data-osis`, and with `data-at`, the offset of its text in the verse. The
/// first fragment has the id `vN` and the verse's number, whose id is N, so that `#16` and `#v16` both lead there.
struct ChapterMarkup {
    private let passage: Passage
    private let formatter: ReferenceFormatter
    private let runs: [Int: [HighlightLayout.Run]]
    private let highlights: [String: Mark]
    private let aim: ClosedRange<Int>?
    private let marked: [Int: Set<Mark.Kind>]
    private var offsets = VerseOffsets()
    private var begun: Set<Int> = []
    private var notes: [(number: Int, verse: Int?, note: Note)] = []
    private var markup = Markup()
    private var hasDropCap = false

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - passage: The chapter.
    ///   - marks: The marks of the chapter.
    ///   - aim: The verses that the address points to; `nil` for none.
    ///   - shape: The shape of the text, for the names of books.
    init(_ passage: Passage, marks: [Mark], aim: ClosedRange<Int>?, shape: TextShape) {
        self.passage = passage
        self.aim = aim
        formatter = ReferenceFormatter(shape, isAbbreviated: true)
        highlights = Dictionary(
            marks.filter { $0.kind == .highlight }.map { ($0.id.uuidString, $0) }, uniquingKeysWith: { $1 })
        var runs: [Int: [HighlightLayout.Run]] = [:]
        if !highlights.isEmpty {
            for verse in passage.chapter.verses {
                let parts = HighlightLayout.runs(of: verse, in: passage.chapter.id, marks)
                if parts.contains(where: { !$0.marks.isEmpty }) { runs[verse.number] = parts }
            }
        }
        self.runs = runs
        var marked: [Int: Set<Mark.Kind>] = [:]
        for mark in marks where mark.kind != .highlight {
            guard let place = mark.place?.reference.places?.lowerBound else { continue }
            marked[place.verse ?? 1, default: []].insert(mark.kind)
        }
        self.marked = marked
        markup.reserve(32_768)
    }

    /// Writes the chapter and its notes.
    mutating func write() -> (chapter: Markup, notes: Markup) {
        var isPoem = false
        var isTable = false
        var follows = false
        for block in passage.chapter.blocks {
            let (wasPoem, wasTable) = (isPoem, isTable)
            switch block.kind {
            case .poetry, .stanzaBreak: (isPoem, isTable) = (true, false)
            case .tableRow: (isPoem, isTable) = (false, true)
            default: (isPoem, isTable) = (false, false)
            }
            if wasPoem, !isPoem { markup.close("div") }
            if wasTable, !isTable { markup.close("table") }
            if isPoem, !wasPoem { markup.open("div", ["class": "poem"]) }
            if isTable, !wasTable { markup.open("table") }
            write(block, follows)
            if case .stanzaBreak = block.kind { follows = true } else { follows = false }
        }
        if isPoem { markup.close("div") }
        if isTable { markup.close("table") }
        return (markup, noteList())
    }

    private mutating func write(_ block: Block, _ isStanza: Bool) {
        switch block.kind {
        case .paragraph: element("p", "par", block)
        case .continuation: element("p", "par cont", block)
        case .heading(let level):
            switch level {
            case ...2: element("h2", "head", block)
            case 3: element("h3", "head", block)
            default: element("h4", "head", block)
            }
        case .canonicalTitle: element("p", "psalm-title", block)
        case .poetry(let indent): element("p", "line l\(min(4, max(1, indent)))\(isStanza ? " stanza" : "")", block)
        case .stanzaBreak: break
        case .quotation: element("blockquote", "quotation", block)
        case .listItem(let level, let marker):
            markup.open("p", ["class": "item i\(min(4, max(1, level)))"])
            markup.element("span", ["class": "marker"]) { $0.text(marker.isEmpty ? "•" : marker) }
            fragments(of: block)
            markup.close("p")
        case .preformatted: element("pre", nil, block)
        case .tableRow:
            markup.open("tr")
            for fragment in block.fragments {
                markup.open("td")
                write(fragment)
                markup.close("td")
            }
            markup.close("tr")
        case .rule: markup.open("hr")
        }
    }

    private mutating func element(_ name: StaticString, _ kind: String?, _ block: Block) {
        markup.open(name, ["class": kind])
        fragments(of: block)
        markup.close(name)
    }

    private mutating func fragments(of block: Block) {
        if !hasDropCap, passage.text.description.kind == .scripture, passage.chapter.id.chapter > 0,
            block.fragments.first?.verse ?? 0 > 0
        {
            hasDropCap = true
            let number = String(passage.chapter.id.chapter)
            markup.element("span", ["class": "drop d\(number.count)", "aria-hidden": "true"]) { $0.text(number) }
        }
        for fragment in block.fragments { write(fragment) }
    }

    private mutating func write(_ fragment: Fragment) {
        guard let verse = fragment.verse else { return write(fragment.inlines, of: nil) }
        let isFirst = begun.insert(verse).inserted
        let osis = VerseID(passage.chapter.id, verse).description
        let offset = offsets.begin(verse)
        var kinds = "v"
        if aim?.contains(verse) == true { kinds += " aim" }
        if isFirst, let marks = marked[verse] {
            if marks.contains(.bookmark) { kinds += " bookmarked" }
            if marks.contains(.note) { kinds += " noted" }
        }
        markup.open(
            "span",
            [
                "class": kinds, "id": isFirst ? "v\(verse)" : nil, "data-v": String(verse), "data-osis": osis,
                "data-at": offset == 0 ? nil : String(offset),
            ])
        if let label = fragment.label, verse > 0, passage.text.description.kind == .scripture {
            markup.element(
                "a",
                [
                    "class": verse == 1 ? "n first" : "n", "id": String(verse),
                    "href": "/mark?in=\(passage.text.id)&at=\(osis)", "aria-label": "Verse \(label)",
                ]
            ) { $0.text(label) }
        }
        write(fragment.inlines, of: verse)
        markup.close("span")
    }

    // MARK: Runs

    private mutating func write(_ inlines: [Inline], of verse: Int?) {
        for inline in inlines {
            switch inline {
            case .text(let text, let style):
                guard let verse else {
                    styled(style) { $0.text(text) }
                    continue
                }
                let (kept, offset) = offsets.add(text, to: verse)
                if !kept.isEmpty { write(kept, at: offset, of: verse, style) }
            case .lineBreak:
                if let verse, offsets.addLineBreak(to: verse) { markup.text(" ") }
                markup.open("br")
            case .note(let note):
                let number = notes.count + 1
                notes.append((number, verse, note))
                markup.element(
                    "a",
                    [
                        "class": "note", "id": "r\(number)", "href": "#f\(number)", "role": "doc-noteref",
                        "aria-label": note.kind == .crossReference ? "Cross-reference" : "Note",
                    ]
                ) { $0.text(Self.letter(number)) }
            }
        }
    }

    private mutating func write(_ text: Substring, at offset: Int, of verse: Int, _ style: TextStyle) {
        guard let runs = runs[verse] else { return styled(style) { $0.text(text) } }
        let (start, end) = (offset, offset + text.utf16.count)
        var place = 0
        for run in runs {
            let range = place..<(place + run.text.utf16.count)
            place = range.upperBound
            let shared = range.clamped(to: start..<max(start, end))
            guard !shared.isEmpty else { continue }
            let units = text.utf16
            let first = units.index(units.startIndex, offsetBy: shared.lowerBound - start)
            let last = units.index(units.startIndex, offsetBy: shared.upperBound - start)
            marked(run.marks.map(\.uuidString), style, text[first..<last])
        }
        // The space after a verse belongs to no run.
        if end > place {
            let units = text.utf16
            styled(style) { $0.text(text[units.index(units.startIndex, offsetBy: max(0, place - start))...]) }
        }
    }

    private mutating func marked(_ marks: [String], _ style: TextStyle, _ text: Substring) {
        let known = marks.compactMap { highlights[$0] }
        for mark in known {
            markup.open(
                "mark",
                [
                    "class": "hl \(mark.colour?.rawValue ?? "yellow") \(mark.style?.rawValue ?? "marker")",
                    "data-mark": mark.id.uuidString.lowercased(), "data-revision": String(mark.revision),
                ])
        }
        styled(style) { $0.text(text) }
        for _ in known { markup.close("mark") }
    }

    private mutating func styled(_ style: TextStyle, _ body: (inout Markup) -> Void) {
        Self.styled(style, &markup, body)
    }

    private static let elements: [(TextStyle, StaticString, String?)] = [
        (.wordsOfChrist, "span", "wj"), (.added, "i", "add"), (.divineName, "span", "nd"), (.emphasis, "em", nil),
        (.strong, "strong", nil), (.code, "code", nil), (.scriptureQuotation, "span", "qt"), (.foreign, "i", nil),
        (.superscript, "sup", nil), (.selah, "i", "selah"),
    ]

    private static func styled(_ style: TextStyle, _ markup: inout Markup, _ body: (inout Markup) -> Void) {
        guard !style.isEmpty else { return body(&markup) }
        let names = elements.filter { style.contains($0.0) }
        for (_, name, kind) in names { markup.open(name, ["class": kind]) }
        body(&markup)
        for (_, name, _) in names.reversed() { markup.close(name) }
    }

    // MARK: Notes

    /// Returns the letters of a note: a to z, then aa.
    static func letter(_ number: Int) -> String {
        var (rest, text) = (number, "")
        while rest > 0 {
            text = String(UnicodeScalar(UInt8(ascii: "a") + UInt8((rest - 1) % 26))) + text
            rest = (rest - 1) / 26
        }
        return text
    }

    private func noteList() -> Markup {
        var list = Markup()
        for (number, verse, note) in notes {
            list.open("li", ["id": "f\(number)"])
            list.element("a", ["class": "back", "href": "#r\(number)", "aria-label": "Back to the text"]) {
                $0.text(Self.letter(number))
            }
            list.text(" ")
            if let verse, verse > 0 {
                list.element("span", ["class": "at"]) { $0.text("\(passage.chapter.id.chapter):\(verse)") }
                list.text(" ")
            }
            if note.kind == .crossReference, !note.references.isEmpty {
                for (place, reference) in note.references.enumerated() {
                    if place > 0 { list.text("; ") }
                    list.element("a", ["href": Addresses.path(of: reference, in: passage.text.id)]) {
                        $0.text(formatter.text(reference))
                    }
                }
            } else {
                for inline in note.inlines {
                    switch inline {
                    case .text(let text, let style): Self.styled(style, &list) { $0.text(text) }
                    case .lineBreak: list.open("br")
                    case .note: break
                    }
                }
            }
            list.close("li")
        }
        return list
    }
}
