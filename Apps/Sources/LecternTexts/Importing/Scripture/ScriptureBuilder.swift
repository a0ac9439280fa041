/// Builds the parts of a text from what a format's reader meets: books, chapters, verses, blocks and text.
///
/// It performs no I/O. Finished parts wait in ``takeParts()``; only the chapter that is open is held in memory.
struct ScriptureBuilder {
    /// The most text that a chapter may have, in bytes.
    static let chapterLimit = 16 << 20
    /// The most warnings that are passed on; a last one says that there are more.
    static let warningLimit = 500

    private var parts: [TextPart] = []
    private var warnings = 0
    private var size = 0
    /// The description of the text, which precedes the first part.
    var text: TextDescription
    private var sentText = false

    private(set) var book: BookDescription?
    private var sentBook = false
    private var books: Set<BookID> = []
    private(set) var chapter = 0
    private var chapters: Set<Int> = []
    private var chapterTitle: String?
    private var blocks: [Block] = []
    private var carried: [Block] = []

    private var kind: Block.Kind?
    private var fragments: [Fragment] = []
    private var run = InlineRun()
    private var runVerse: Int?
    private var runLabel: String?
    private var isRunOpen = false

    private var verse: Int?
    private var label: String?
    private var lastVerse = 0
    private var verses: Set<Int> = []
    private var notes: [(kind: Note.Kind, mark: String?, run: InlineRun, references: [Reference])] = []

    /// The place in the source, for warnings.
    var place = ""

    init(_ text: TextDescription) { self.text = text }

    // MARK: Output

    /// Returns the parts that are finished, in order.
    ///
    /// - Throws: ``TextImportError`` with code `tooLarge` if the chapter is larger than ``chapterLimit``.
    mutating func takeParts() throws -> [TextPart] {
        if size + run.size > Self.chapterLimit || notes.contains(where: { $0.run.size > Self.chapterLimit }) {
            throw TextImportError(
                .tooLarge, "A chapter has more than 16 MB of text. Check the file: chapter marks may be missing.",
                place: place)
        }
        guard !parts.isEmpty else { return [] }
        defer { parts.removeAll(keepingCapacity: true) }
        return parts
    }

    /// A Boolean value that tells whether ``takeParts()`` would return something or throw.
    var needsDrain: Bool { !parts.isEmpty || size + run.size > Self.chapterLimit || notes.count > 0 }

    mutating func warn(_ message: String) {
        warnings += 1
        guard warnings <= Self.warningLimit + 1 else { return }
        begin()
        let message = warnings > Self.warningLimit ? "There are more warnings, which are not listed." : message
        parts.append(.warning(TextImportWarning(place: place, message: message)))
    }

    private mutating func begin() {
        if !sentText {
            sentText = true
            parts.append(.text(text))
        }
    }

    /// Ends the text.
    ///
    /// - Throws: ``TextImportError`` with code `empty` if no chapter with text was met.
    mutating func end() throws {
        endBook()
        if books.isEmpty {
            throw TextImportError(.empty, "The source has no chapter with text. Choose a file with scripture.")
        }
    }

    // MARK: Books and chapters

    /// Begins a book. Blocks that precede the first book become part of its introduction.
    mutating func beginBook(_ id: BookID, name: String? = nil) {
        guard book?.id != id else { return }
        if book == nil {
            endBlock()
        } else {
            endBook()
        }
        let known = ScriptureBook.byOSIS[id.rawValue]
        book = BookDescription(id: id, name: name ?? known?.name ?? id.rawValue, abbreviation: id.rawValue)
        sentBook = false
        chapters = []
        chapter = 0
        resetVerses()
    }

    mutating func nameBook(_ name: String) {
        if !name.isEmpty { book?.name = name }
    }

    mutating func abbreviateBook(_ abbreviation: String) {
        if !abbreviation.isEmpty { book?.abbreviation = abbreviation }
    }

    /// Ends a book. What follows without a book goes to the next one, or to a book of its own at the end.
    mutating func endBook() {
        endChapter()
        if book == nil, !blocks.isEmpty {
            beginBook(BookID(rawValue: ScriptureBook.otherMatter))
            endChapter()
        }
        if !carried.isEmpty {
            (blocks, carried) = (carried, [])
            endChapter(keepsHeadings: true)
        }
        book = nil
        chapter = 0
        resetVerses()
    }

    /// Begins a chapter of the book.
    mutating func beginChapter(_ number: Int) {
        guard number != chapter else { return }
        endChapter()
        chapter = number
        blocks = carried
        carried = []
        resetVerses()
        if chapters.contains(number) {
            warn("\(chapterName) occurs twice. Its second part follows as it is.")
        } else if let last = chapters.max(), number < last {
            warn("\(chapterName) is out of order. It is kept where it is.")
        }
        chapters.insert(number)
    }

    private var chapterName: String { "Chapter \(chapter) of \(book?.name ?? "the text")" }

    mutating func nameChapter(_ title: String?) { chapterTitle = title }

    private mutating func resetVerses() {
        verse = nil
        label = nil
        lastVerse = 0
        verses = []
    }

    private mutating func endChapter(keepsHeadings: Bool = false) {
        endBlock()
        while blocks.last?.kind == .stanzaBreak { blocks.removeLast() }
        guard let book, !blocks.isEmpty else {
            if book != nil { chapterTitle = nil }
            return
        }
        let isHeadings = blocks.allSatisfy { if case .heading = $0.kind { true } else { false } }
        if chapter == 0, isHeadings, !keepsHeadings {
            // The title of a book is no introduction: it heads the first chapter.
            (carried, blocks) = (blocks, [])
            return
        }
        begin()
        if !sentBook {
            sentBook = true
            if !books.insert(book.id).inserted { warn("The book \(book.name) occurs twice.") }
            parts.append(.book(book))
        }
        parts.append(.chapter(Chapter(ChapterID(book.id, chapter), title: chapterTitle, blocks: blocks)))
        (blocks, size, chapterTitle) = ([], 0, nil)
    }

    // MARK: Verses

    /// Begins a verse. Its number shows before the text that follows.
    mutating func beginVerse(_ number: Int, label newLabel: String? = nil) {
        guard number != verse || newLabel != nil else { return }
        let isNew = verses.insert(number).inserted
        if !isNew {
            warn("\(book?.name ?? "") \(chapter):\(number) occurs twice. Both texts are kept as one verse.")
        } else if number < lastVerse {
            warn("\(book?.name ?? "") \(chapter):\(number) is out of order. It is kept where it is.")
        }
        lastVerse = max(lastVerse, number)
        verse = number
        label = isNew ? newLabel ?? String(number) : nil
    }

    /// Changes the number that is shown before a verse of this chapter, such as to `16–17`.
    mutating func relabel(_ number: Int, _ newLabel: String) {
        if verse == number, label != nil { label = newLabel }
        if runVerse == number, runLabel != nil { runLabel = newLabel }
        if let place = fragments.firstIndex(where: { $0.verse == number && $0.label != nil }) {
            fragments[place].label = newLabel
        }
        for place in blocks.indices.reversed() {
            if let found = blocks[place].fragments.firstIndex(where: { $0.verse == number && $0.label != nil }) {
                blocks[place].fragments[found].label = newLabel
                return
            }
        }
    }

    /// Changes the number that is shown before the current verse.
    mutating func showVerse(_ newLabel: String) {
        if let verse { relabel(verse, String(newLabel.prefix(16))) }
    }

    /// A Boolean value that tells whether the current verse has text already.
    var hasVerseText: Bool { verse != nil && label == nil }

    // MARK: Blocks

    /// Begins a block. The one before ends.
    mutating func beginBlock(_ newKind: Block.Kind) {
        endBlock()
        kind = newKind
    }

    /// The kind of the block that is open.
    var openKind: Block.Kind? { kind }

    mutating func endBlock() {
        endFragment(trimmed: true)
        run = InlineRun()
        defer {
            kind = nil
            fragments = []
        }
        guard let kind else { return }
        if kind == .stanzaBreak || kind == .rule {
            if let last = blocks.last, last.kind != kind { blocks.append(Block(kind)) }
        } else if !fragments.isEmpty {
            blocks.append(Block(kind, fragments))
        }
    }

    /// Ends a cell of a row, so that the next text begins another one.
    mutating func endCell() {
        guard kind == .tableRow else { return }
        endFragment(trimmed: true)
    }

    private mutating func endFragment(trimmed: Bool) {
        guard isRunOpen else { return }
        isRunOpen = false
        size += run.size
        let inlines = run.take(trimmed: trimmed)
        if !inlines.isEmpty || runLabel != nil {
            fragments.append(Fragment(verse: runVerse, label: runLabel, inlines))
        }
    }

    /// The verse to which text in the open block belongs.
    private var verseOfText: Int? {
        switch kind {
        case .heading: nil
        case .canonicalTitle: chapter > 0 && (verse == nil || label != nil) && runsOfVerses == 0 ? 0 : nil
        default: verse
        }
    }

    private var runsOfVerses: Int { blocks.contains { $0.fragments.contains { ($0.verse ?? 0) > 0 } } ? 1 : 0 }

    private mutating func openRun() {
        if kind == nil {
            switch blocks.last?.kind {
            case .poetry, .quotation, .listItem, .tableRow, .stanzaBreak: kind = .continuation
            default: kind = .paragraph
            }
        }
        let wanted = verseOfText
        if isRunOpen {
            guard runVerse != wanted else { return }
            run.separate()
            endFragment(trimmed: false)
        }
        isRunOpen = true
        runVerse = wanted
        runLabel = nil
        if let wanted, wanted > 0 {
            runLabel = label
            label = nil
        }
    }

    // MARK: Text

    mutating func append(_ text: String, _ style: TextStyle = []) {
        if !notes.isEmpty {
            notes[notes.count - 1].run.append(text, style)
            return
        }
        if !isRunOpen || (label != nil && runVerse != verse) {
            // White space alone opens nothing.
            if text.utf8.allSatisfy({ $0 <= 0x20 }) {
                if isRunOpen { run.append(text, style) }
                return
            }
        }
        openRun()
        run.append(text, style)
    }

    mutating func appendLineBreak() {
        if notes.isEmpty {
            if isRunOpen { run.appendLineBreak() }
        } else {
            notes[notes.count - 1].run.append(" ", [])
        }
    }

    // MARK: Notes

    /// A Boolean value that tells whether text goes to a note.
    var isInNote: Bool { !notes.isEmpty }

    /// Begins a note. A note within a note becomes part of its text, with a warning.
    mutating func beginNote(_ kind: Note.Kind, mark: String? = nil) {
        if notes.count == 1 { warn("A note is within a note. Its text is kept in the outer one, in brackets.") }
        notes.append((kind, mark, InlineRun(), []))
    }

    mutating func refer(_ references: [Reference]) {
        guard !notes.isEmpty else { return }
        notes[notes.count - 1].references += references
    }

    /// Ends the innermost note.
    mutating func endNote() {
        guard var note = notes.popLast() else { return }
        let inlines = note.run.take(trimmed: true)
        guard !inlines.isEmpty else { return }
        if let outer = notes.indices.last {
            notes[outer].run.append(" [", [])
            for case .text(let text, let style) in inlines { notes[outer].run.append(text, style) }
            notes[outer].run.append("] ", [])
            notes[outer].references += note.references
        } else {
            openRun()
            run.append(Note(note.kind, mark: note.mark, inlines, references: note.references))
        }
    }

    mutating func endNotes() {
        while !notes.isEmpty { endNote() }
    }
}
