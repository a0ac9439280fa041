/// Collects the blocks of an EPUB's documents to chapters.
struct EPUBChapters {
    private var chapters: BookChapters
    private var title: String?
    private var isAtStart = true
    private var paragraphs = 0

    init(_ receive: @escaping (TextPart) throws -> Void) { chapters = BookChapters(receive) }

    /// The number of chapters that were passed on.
    var count: Int { chapters.count }

    /// Begins a chapter. A heading with the same words right behind is not repeated.
    mutating func begin(_ title: String?) throws {
        try chapters.begin(title)
        self.title = title
        isAtStart = true
        paragraphs = 0
    }

    /// Begins a chapter if the open one is so long that it should not stay in memory.
    mutating func divide() throws { if paragraphs > 5_000 { try begin(title) } }

    /// Ends the last chapter.
    mutating func end() throws { try chapters.end() }

    mutating func append(_ kind: Block.Kind, _ cells: [[Inline]]) {
        isAtStart = false
        paragraphs += 1
        chapters.append(kind, cells)
    }

    mutating func append(_ block: Block) { if chapters.hasText { chapters.append(block) } }

    mutating func heading(_ level: Int, _ inlines: [Inline]) {
        var text = ""
        text.append(inlines)
        if isAtStart, let title, text.collapsed.folded == title.folded { return }
        chapters.append(Block(.heading(level: level), [Fragment(verse: nil, inlines)]))
    }
}
