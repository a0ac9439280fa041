/// Collects blocks to the chapters of a book, and numbers the paragraphs.
struct BookChapters {
    private let receive: (TextPart) throws -> Void
    private var title: String?
    private var blocks: [Block] = []
    private var paragraph = 0
    private var number = 0
    /// The number of chapters that were passed on.
    private(set) var count = 0

    init(_ receive: @escaping (TextPart) throws -> Void) { self.receive = receive }

    /// A Boolean value that says whether the open chapter has text.
    var hasText: Bool { paragraph > 0 }

    /// Ends the open chapter and opens another.
    mutating func begin(_ title: String?) throws {
        try end()
        self.title = title.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Appends a block that is not spoken by number, such as a heading or a rule.
    mutating func append(_ block: Block) { blocks.append(block) }

    /// Appends a block whose parts are one paragraph. A block without text is left out.
    mutating func append(_ kind: Block.Kind, _ cells: [[Inline]]) {
        guard cells.contains(where: { $0.hasText }) else { return }
        paragraph += 1
        let number = paragraph
        blocks.append(Block(kind, cells.map { Fragment(verse: number, $0) }))
    }

    /// Ends the open chapter: passes it on if it has text.
    mutating func end() throws {
        defer {
            blocks = []
            title = nil
            paragraph = 0
        }
        // Headings alone are kept for the next chapter's title by the caller; here they are dropped.
        guard paragraph > 0 else { return }
        try Task.checkCancellation()
        number += 1
        count += 1
        try receive(.chapter(Chapter(ChapterID(.whole, number), title: title, blocks: blocks)))
    }
}

extension [Inline] {
    /// A Boolean value that says whether there is text besides white space and notes.
    var hasText: Bool {
        contains { inline in
            if case .text(let text, _) = inline { text.utf8.contains { $0 != 0x20 } } else { false }
        }
    }

    /// The inlines without spaces at the ends and around line breaks, and with neighbours of one style joined.
    var tidied: [Inline] {
        var tidy: [Inline] = []
        var endsWithSpace = true
        for inline in self {
            switch inline {
            case .text(var text, let style):
                if endsWithSpace, text.utf8.first == 0x20 { text.removeFirst() }
                guard !text.isEmpty else { continue }
                endsWithSpace = text.utf8.last == 0x20
                if case .text(let before, let same)? = tidy.last, same == style {
                    tidy[tidy.count - 1] = .text(before + text, style)
                } else {
                    tidy.append(.text(text, style))
                }
            case .lineBreak:
                tidy.trimEnd()
                if !tidy.isEmpty { tidy.append(.lineBreak) }
                endsWithSpace = true
            case .note: tidy.append(inline)
            }
        }
        while case .lineBreak? = tidy.last { tidy.removeLast() }
        tidy.trimEnd()
        return tidy
    }

    private mutating func trimEnd() {
        while case .text(let text, let style)? = last, text.utf8.last == 0x20 {
            removeLast()
            let shorter = String(text.dropLast())
            if !shorter.isEmpty { append(.text(shorter, style)) }
        }
    }
}
